package volsh.bench.report;

import java.util.function.DoubleFunction;

/** What plots have in common: size, frame, and an axis at the bottom. */
final class Plot {
    static final int WIDTH = 900;
    static final int LEFT = 190;
    static final int INNER = WIDTH - LEFT - 40;
    private static final int BOTTOM = 26;

    private Plot() {}

    /** Frames what is drawn between 0 and {@code height}. */
    static Markup framed(String title, double height, Scale scale, DoubleFunction<String> shown, Markup inner) {
        var svg = opened(title, height + BOTTOM);
        for (double tick : scale.ticks()) {
            double x = LEFT + INNER * scale.at(tick);
            svg.add("<line class='grid' x1='%s' y1='0' x2='%s' y2='%s'/>", x, x, height);
            svg.add("<text class='tick' x='%s' y='%s'>%s</text>", x, height + 16, shown.apply(tick));
        }
        return closed(svg, inner);
    }

    static Markup opened(String title, double height) {
        return new Markup().add("<figure><figcaption>%s</figcaption>", title)
                .add("<svg role='img' aria-label='%s' viewBox='0 0 %s %s' xmlns='http://www.w3.org/2000/svg'>", title,
                        WIDTH, height);
    }

    static Markup closed(Markup svg, Markup inner) {
        return svg.raw(inner.toString()).raw("</svg></figure>");
    }
}

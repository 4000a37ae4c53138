package volsh.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;
import volsh.bench.Measurement;

/** A bar for each run, grouped by measurement. */
final class Bars {
    private static final int BAR = 16;
    private static final int GAP = 12;

    private final String title;
    private final Series series;
    private final ToDoubleFunction<Measurement> value;
    private final DoubleFunction<String> shown;
    private final DoubleFunction<? extends Scale> axis;

    Bars(String title, Series series, ToDoubleFunction<Measurement> value, DoubleFunction<String> shown,
            DoubleFunction<? extends Scale> axis) {
        this.title = title;
        this.series = series;
        this.value = value;
        this.shown = shown;
        this.axis = axis;
    }

    /** Draws these rows; {@code most} is the minimum end of the axis. */
    Markup draw(List<Series.Key> keys, double most) {
        double largest = keys.stream().flatMap(key -> series.of(key).stream())
                .mapToDouble(entry -> value.applyAsDouble(entry.row())).max().orElse(0);
        var scale = axis.apply(Math.max(most, largest));
        var inner = new Markup();
        double y = GAP;
        for (var key : keys) {
            var entries = series.of(key);
            inner.add("<text class='label' x='%s' y='%s'>%s</text>", Plot.LEFT - 8, y + entries.size() * BAR / 2.0 + 4,
                    series.label(key));
            for (var entry : entries) {
                bar(inner, entry, scale, y);
                y += BAR;
            }
            y += GAP;
        }
        return Plot.framed(title, y, scale, shown, inner);
    }

    private void bar(Markup inner, Series.Entry entry, Scale scale, double y) {
        double amount = value.applyAsDouble(entry.row());
        double width = Math.max(1, Plot.INNER * scale.at(amount));
        inner.add("<rect class='s%s' x='%s' y='%s' width='%s' height='%s' rx='2'><title>%s: %s</title></rect>",
                entry.run(), Plot.LEFT, y + 1, width, BAR - 3, series.runs().get(entry.run()).id(),
                shown.apply(amount));
        boolean inside = width > Plot.INNER * 0.8;
        inner.add("<text class='%s' x='%s' y='%s'>%s</text>", inside ? "value in" : "value",
                Plot.LEFT + width + (inside ? -6 : 6), y + BAR - 4, shown.apply(amount));
    }

    /** The rows with an amount of this kind. */
    static List<Series.Key> where(Series series, java.util.function.Predicate<Measurement> kind) {
        var keys = new ArrayList<Series.Key>();
        for (var key : series.keys()) {
            if (series.of(key).stream().map(Series.Entry::row).allMatch(kind)) {
                keys.add(key);
            }
        }
        return keys;
    }
}

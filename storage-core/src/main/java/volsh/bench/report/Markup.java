package volsh.bench.report;

import java.util.Locale;

/** HTML and SVG as text. */
public final class Markup {
    private final StringBuilder text = new StringBuilder();

    /** The text as it is to be read, whatever is in it; what no page may hold is left out. */
    static String escaped(String text) {
        var safe = new StringBuilder(text.length() + 16);
        text.codePoints().filter(point -> point >= ' ' && !Character.isISOControl(point) && (point < 0xD800 || point > 0xDFFF) || point == '\n')
                .forEach(point -> {
                    switch (point) {
                        case '&' -> safe.append("&amp;");
                        case '<' -> safe.append("&lt;");
                        case '>' -> safe.append("&gt;");
                        case '"' -> safe.append("&quot;");
                        case '\'' -> safe.append("&#39;");
                        default -> safe.appendCodePoint(point);
                    }
                });
        return safe.toString();
    }

    /** Markup of the caller's own. */
    public Markup raw(String markup) {
        text.append(markup).append('\n');
        return this;
    }

    /** Markup with texts in it, which are escaped; numbers are written with at most two decimals. */
    public Markup add(String format, Object... values) {
        var safe = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            safe[i] = switch (values[i]) {
                case Double number -> number(number);
                case Integer number -> number.toString();
                case Markup inner -> inner.toString();
                case Object other -> escaped(other.toString());
            };
        }
        return raw(format.formatted(safe));
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value).replaceFirst("\\.?0+$", "");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}

package volsh.bench.report;

import java.util.Locale;

/** HTML and SVG as text. */
public final class Markup {
    private final StringBuilder text = new StringBuilder();

    /** Escapes a text; characters that are not allowed in a page are dropped. */
    static String escaped(String text) {
        var safe = new StringBuilder(text.length() + 16);
        text.codePoints().filter(point ->
                point >= ' ' && !Character.isISOControl(point) && (point < 0xD800 || point > 0xDFFF) || point == '\n')
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

    /** Adds markup of this package. */
    public Markup raw(String markup) {
        text.append(markup).append('\n');
        return this;
    }

    /** Adds markup with texts, which are escaped; numbers have at most two decimals. */
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

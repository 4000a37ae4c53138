package volsh.command.render;

import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes machine values ({@code null}, text, numbers, booleans, lists, maps with text keys) as compact JSON. */
public final class Json {
    private Json() {}

    public static String of(@Nullable Object value) {
        var out = new StringBuilder();
        try {
            write(value, out);
        } catch (IOException never) {
            throw new AssertionError(never);
        }
        return out.toString();
    }

    /** Any value as programs see it: sizes in bytes, times in seconds, rows and records as objects. */
    public static String ofValue(@Nullable Object value) {
        return of(Machine.of(value));
    }

    static void write(@Nullable Object value, Appendable out) throws IOException {
        if (value == null || value instanceof Number number && !Double.isFinite(number.doubleValue())) {
            out.append("null");
        } else if (value instanceof Number || value instanceof Boolean) {
            out.append(value.toString());
        } else if (value instanceof Map<?, ?> map) {
            object(map, out);
        } else if (value instanceof Iterable<?> items) {
            array(items, out);
        } else {
            string(value.toString(), out);
        }
    }

    private static void object(Map<?, ?> map, Appendable out) throws IOException {
        out.append('{');
        String separator = "";
        for (var entry : map.entrySet()) {
            out.append(separator);
            string(String.valueOf(entry.getKey()), out);
            out.append(':');
            write(entry.getValue(), out);
            separator = ",";
        }
        out.append('}');
    }

    private static void array(Iterable<?> items, Appendable out) throws IOException {
        out.append('[');
        for (Iterator<?> left = items.iterator(); left.hasNext(); ) {
            write(left.next(), out);
            out.append(left.hasNext() ? "," : "");
        }
        out.append(']');
    }

    static void string(String text, Appendable out) throws IOException {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> character(text, i, out);
            }
        }
        out.append('"');
    }

    private static void character(String text, int index, Appendable out) throws IOException {
        char c = text.charAt(index);
        boolean plain = c >= ' ' && c < 0x7f
                || c >= 0xa0 && c != 0x2028 && c != 0x2029
                        && (!Character.isSurrogate(c) || Printable.paired(text, index));
        if (plain) {
            out.append(c);
        } else {
            out.append("\\u").append(Printable.hex(c >> 12)).append(Printable.hex(c >> 8))
                    .append(Printable.hex(c >> 4)).append(Printable.hex(c));
        }
    }
}

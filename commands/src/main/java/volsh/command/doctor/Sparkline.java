package volsh.command.doctor;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last values of a rate as a row of little bars, the highest being the tallest. */
final class Sparkline {
    private static final int KEPT = 60;
    private static final String BARS = "▁▂▃▄▅▆▇█";
    private static final String PLAIN = "_.-:=+*#";

    private final Deque<Long> values = new ArrayDeque<>();

    void add(long value) {
        values.addLast(Math.max(0, value));
        if (values.size() > KEPT) {
            values.removeFirst();
        }
    }

    /** The newest values, at most {@code width}; nothing before there are two. */
    String text(int width, boolean unicode) {
        if (values.size() < 2 || width < 2) {
            return "";
        }
        String bars = unicode ? BARS : PLAIN;
        long most = Math.max(1, values.stream().mapToLong(Long::longValue).max().orElse(1));
        var text = new StringBuilder();
        values.stream().skip(Math.max(0, values.size() - width)).forEach(value -> text.append(
                bars.charAt((int) Math.min(bars.length() - 1L, value * bars.length() / most))));
        return text.toString();
    }
}

package volsh.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import volsh.unit.ByteSize;

/** Measurements as bars of characters, for a terminal. */
public final class Chart {
    private static final int BAR_MIN = 10;
    private static final String[] EIGHTHS = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

    private Chart() {}

    /** One line for each row: its name, its speed, and a bar proportional to the fastest of its kind. */
    public static List<String> of(List<Measurement> rows, int width, boolean unicode) {
        var names = rows.stream().map(row -> row.phase() + (row.threads() == 1 ? "" : " x" + row.threads())).toList();
        var speeds = rows.stream().map(Chart::speed).toList();
        int nameWidth = names.stream().mapToInt(String::length).max().orElse(0);
        int speedWidth = speeds.stream().mapToInt(String::length).max().orElse(0);
        int room = Math.max(BAR_MIN, width - nameWidth - speedWidth - 5);
        var lines = new ArrayList<String>();
        for (int i = 0; i < rows.size(); i++) {
            var row = rows.get(i);
            boolean bytes = row.bytes().bytes() > 0;
            double most = rows.stream().filter(other -> other.bytes().bytes() > 0 == bytes)
                    .mapToDouble(Measurement::speed).max().orElse(1);
            lines.add(("%-" + nameWidth + "s  %" + speedWidth + "s  %s").formatted(names.get(i), speeds.get(i),
                    bar(row.speed() / Math.max(1e-9, most) * room, unicode)));
        }
        return lines;
    }

    private static String speed(Measurement row) {
        return row.bytes().bytes() > 0 ? new ByteSize(Math.round(row.bytesPerSecond())) + "/s"
                : String.format(Locale.ROOT, "%,.0f/s", row.perSecond());
    }

    private static String bar(double length, boolean unicode) {
        if (!unicode) {
            return "#".repeat((int) Math.max(1, Math.round(length)));
        }
        long eighths = Math.max(1, Math.round(length * 8));
        return "█".repeat((int) (eighths / 8)) + EIGHTHS[(int) (eighths % 8)];
    }
}

package volsh.bench.report;

import java.time.Duration;
import java.util.Locale;
import volsh.unit.ByteSize;

/** Formats numbers of a report, with a space before the unit: {@code 1.2 GiB/s}, {@code 35 µs}. */
final class Amounts {
    private Amounts() {}

    static String bytes(double value) {
        return apart(new ByteSize(Math.round(value)).toString());
    }

    /** With spaces between numbers and units, and between parts: {@code 1 h 30 m}. */
    static String apart(String text) {
        return text.replaceAll("(?<=[0-9])(?=[a-zA-Z%])", " ").replaceAll("(?<=[a-z])(?=[0-9])", " ");
    }

    static String rate(double value) {
        return bytes(value) + "/s";
    }

    static String perSecond(double value) {
        return String.format(Locale.ROOT, value < 10 && value != Math.rint(value) ? "%.1f/s" : "%,.0f/s", value);
    }

    static String percent(double part) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * part).replace(".0 %", " %");
    }

    /** Rounded down, so that a shown 90 % is at least 90 %. */
    static String percentDown(double part) {
        return percent(Math.floor(part * 1000 + 1e-6) / 1000);
    }

    /** With three digits: {@code 1.23 ms}. */
    static String time(double nanos) {
        String[] units = {" ns", " µs", " ms", " s"};
        int unit = 0;
        double value = nanos;
        while (value >= 999.5 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        String digits = value >= 99.5 || unit == 0 ? "%.0f" : value >= 9.95 ? "%.1f" : "%.2f";
        String text = String.format(Locale.ROOT, digits, value);
        return (text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text) + units[unit];
    }

    static String time(Duration duration) {
        return time((double) duration.toNanos());
    }
}

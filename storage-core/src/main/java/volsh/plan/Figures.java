package volsh.plan;

import java.util.Locale;
import volsh.unit.Rate;

/** Formats numbers in texts that explain a computation. Decimal units, like networks and disks. */
final class Figures {
    private static final String[] LARGER = {"", " k", " M", " G", " T", " P"};

    private Figures() {}

    /** Three digits and a unit: {@code 1.33 MB/s}. */
    static String rate(double bytesPerSecond) {
        return scaled(bytesPerSecond, "B/s");
    }

    static String size(long bytes) {
        return size((double) bytes);
    }

    static String size(double bytes) {
        return scaled(bytes, "B");
    }

    private static String scaled(double number, String unit) {
        int step = 0;
        double value = number;
        while (value >= 999.5 && step < LARGER.length - 1) {
            value /= 1000;
            step++;
        }
        return step == 0 ? plain(value) + " " + unit : plain(value) + LARGER[step] + unit;
    }

    /** At most three significant digits, without trailing zeros. */
    static String plain(double value) {
        int decimals = value >= 100 || value == Math.rint(value) ? 0 : value >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** As a rate of at least one byte per second. */
    static Rate atLeastOne(double bytesPerSecond) {
        return new Rate(Math.max(1, Math.round(bytesPerSecond)));
    }

    /** @throws IllegalArgumentException if the product overflows */
    static long product(long one, long other) {
        long high = Math.multiplyHigh(one, other);
        if (high != 0 || one * other < 0) {
            throw new IllegalArgumentException("too large: %d × %d".formatted(one, other));
        }
        return one * other;
    }

    static void positive(long number, String what) {
        positive((double) number, what);
    }

    static void positive(double number, String what) {
        if (!(number > 0) || Double.isInfinite(number)) {
            throw new IllegalArgumentException(what + " must be greater than 0");
        }
    }
}

package volsh.unit;

import java.util.Locale;

/** Formats a count with its noun. */
public final class Count {
    private Count() {}

    /** {@code 1 file}, {@code 1,234 files}. */
    public static String of(long number, String what) {
        return String.format(Locale.ROOT, "%,d %s%s", number, what, number == 1 ? "" : "s");
    }
}

package volsh.unit;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes, as people write it: {@code 4096}, {@code 4MiB}, {@code 4M}, {@code 1.5TiB}, {@code 200MB}.
 *
 * <p>Single letters and {@code KiB MiB GiB TiB PiB} count in 1024s, {@code kB MB GB TB PB} in 1000s; upper and lower
 * case are the same. A fraction of a byte is dropped.
 */
public record ByteSize(long bytes) implements Comparable<ByteSize> {
    public static final long KIB = 1L << 10;
    public static final long MIB = 1L << 20;
    public static final long GIB = 1L << 30;
    public static final long TIB = 1L << 40;
    private static final long PIB = 1L << 50;

    private static final Pattern SHAPE = Pattern.compile("(\\d{1,19}(?:\\.\\d{1,18})?) ?([a-zA-Z]{0,3})");
    private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final Map<String, Long> UNITS = Map.ofEntries(
            Map.entry("", 1L), Map.entry("b", 1L),
            Map.entry("k", KIB), Map.entry("kib", KIB), Map.entry("kb", 1_000L),
            Map.entry("m", MIB), Map.entry("mib", MIB), Map.entry("mb", 1_000_000L),
            Map.entry("g", GIB), Map.entry("gib", GIB), Map.entry("gb", 1_000_000_000L),
            Map.entry("t", TIB), Map.entry("tib", TIB), Map.entry("tb", 1_000_000_000_000L),
            Map.entry("p", PIB), Map.entry("pib", PIB), Map.entry("pb", 1_000_000_000_000_000L));
    private static final String[] NAMES = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    public ByteSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("a size cannot be negative: " + bytes);
        }
    }

    /** Parses a size. @throws IllegalArgumentException naming the text and a valid example */
    public static ByteSize of(String text) {
        Matcher matcher = SHAPE.matcher(text.strip());
        Long unit = matcher.matches() ? UNITS.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
        if (unit == null || unit == 1 && matcher.group(1).contains(".")) {
            throw new IllegalArgumentException("not a size: '%s' (try 4MiB)".formatted(text));
        }
        BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
        if (bytes.compareTo(LARGEST) > 0) {
            throw new IllegalArgumentException("size too large: '%s' (try 4PiB)".formatted(text));
        }
        return new ByteSize(bytes.longValue());
    }

    /** The shortest text that {@link #of} parses back to exactly this size, such as {@code 1536MiB}. */
    public String exact() {
        int unit = bytes == 0 ? 0 : Math.min(Long.numberOfTrailingZeros(bytes) / 10, NAMES.length - 1);
        return (bytes >> 10 * unit) + NAMES[unit];
    }

    @Override
    public int compareTo(ByteSize other) {
        return Long.compare(bytes, other.bytes);
    }

    /** For people: the largest fitting unit, rounded to one decimal, such as {@code 14.2GiB}. */
    @Override
    public String toString() {
        int unit = Math.min((63 - Long.numberOfLeadingZeros(Math.max(bytes, 1))) / 10, NAMES.length - 1);
        BigDecimal value = rounded(unit);
        if (unit < NAMES.length - 1 && value.compareTo(BigDecimal.valueOf(KIB)) >= 0) {
            value = rounded(++unit);
        }
        return value.stripTrailingZeros().toPlainString() + NAMES[unit];
    }

    private BigDecimal rounded(int unit) {
        return BigDecimal.valueOf(bytes).divide(BigDecimal.valueOf(1L << 10 * unit), 1, RoundingMode.HALF_UP);
    }
}

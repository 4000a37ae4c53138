package volsh.unit;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A span of time, as people write it: {@code 250ms}, {@code 30s}, {@code 5m}, {@code 1h30m}, {@code 30d}, {@code 2w} or
 * ISO {@code PT5M}. {@code m} is minutes, never months; a day is 24 hours. Never negative, at most 292 years.
 */
public record Span(Duration duration) implements Comparable<Span> {
    private static final String[] NAMES = {"w", "d", "h", "m", "s", "ms", "us", "ns"};
    private static final long[] NANOS = {
        604_800_000_000_000L, 86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L,
        1_000_000_000L, 1_000_000L, 1_000L, 1L
    };
    private static final Pattern SHAPE = shape();
    private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);

    public Span {
        if (duration.isNegative() || duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("a duration must be between 0s and 292 years: " + duration);
        }
    }

    /** Parses a span. @throws IllegalArgumentException naming the text and a valid example */
    public static Span of(String text) {
        String span = text.strip().toLowerCase(Locale.ROOT);
        if (span.startsWith("p")) {
            return iso(text, span);
        }
        Matcher matcher = SHAPE.matcher(span);
        if (span.isEmpty() || !matcher.matches()) {
            throw refused(text);
        }
        BigDecimal total = BigDecimal.ZERO;
        for (int unit = 0; unit < NAMES.length; unit++) {
            String count = matcher.group(unit + 1);
            total = count == null ? total : total.add(new BigDecimal(count).multiply(BigDecimal.valueOf(NANOS[unit])));
        }
        if (total.compareTo(LARGEST) > 0) {
            throw new IllegalArgumentException("duration too long: '%s' (try 30d)".formatted(text));
        }
        return new Span(Duration.ofNanos(total.longValue()));
    }

    private static Span iso(String text, String span) {
        try {
            return new Span(Duration.parse(span));
        } catch (DateTimeException | IllegalArgumentException notOne) {
            throw refused(text);
        }
    }

    private static IllegalArgumentException refused(String text) {
        String hint = text.strip().matches("\\d{1,18}") ? text.strip() + "s" : "30s, 1h30m or PT5M";
        return new IllegalArgumentException("not a duration: '%s' (try %s)".formatted(text, hint));
    }

    private static Pattern shape() {
        var shape = new StringBuilder();
        for (String name : NAMES) {
            shape.append("(?:(\\d{1,18}(?:\\.\\d{1,9})?)").append(name).append(")?");
        }
        return Pattern.compile(shape.toString());
    }

    @Override
    public int compareTo(Span other) {
        return duration.compareTo(other.duration);
    }

    /** Exact, such as {@code 1h30m} or {@code 1s500ms}; parses back to the same span. Weeks print as days. */
    @Override
    public String toString() {
        long rest = duration.toNanos();
        var text = new StringBuilder();
        for (int unit = 1; unit < NAMES.length; unit++) {
            long count = rest / NANOS[unit];
            rest %= NANOS[unit];
            text.append(count == 0 ? "" : count + NAMES[unit]);
        }
        return text.isEmpty() ? "0s" : text.toString();
    }
}

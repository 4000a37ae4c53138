package volsh.script;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * Quantities in scripts: {@code 4.MiB}, {@code 30.d}, {@code 2.GiB / 1.s}, and arithmetic with them. Groovy finds these
 * methods by META-INF/groovy and sees them as methods of their first parameter.
 */
public final class Units {
    private Units() {}

    public static ByteSize getB(Number n) {
        return size(n, 1);
    }

    public static ByteSize getKiB(Number n) {
        return size(n, ByteSize.KIB);
    }

    public static ByteSize getMiB(Number n) {
        return size(n, ByteSize.MIB);
    }

    public static ByteSize getGiB(Number n) {
        return size(n, ByteSize.GIB);
    }

    public static ByteSize getTiB(Number n) {
        return size(n, ByteSize.TIB);
    }

    public static ByteSize getkB(Number n) {
        return size(n, 1_000);
    }

    public static ByteSize getMB(Number n) {
        return size(n, 1_000_000);
    }

    public static ByteSize getGB(Number n) {
        return size(n, 1_000_000_000);
    }

    public static ByteSize getTB(Number n) {
        return size(n, 1_000_000_000_000L);
    }

    public static Span getNs(Number n) {
        return span(n, 1);
    }

    public static Span getUs(Number n) {
        return span(n, 1_000);
    }

    public static Span getMs(Number n) {
        return span(n, 1_000_000);
    }

    public static Span getS(Number n) {
        return span(n, 1_000_000_000);
    }

    public static Span getSeconds(Number n) {
        return getS(n);
    }

    public static Span getM(Number n) {
        return span(n, 60_000_000_000L);
    }

    public static Span getMin(Number n) {
        return getM(n);
    }

    public static Span getMinutes(Number n) {
        return getM(n);
    }

    public static Span getH(Number n) {
        return span(n, 3_600_000_000_000L);
    }

    public static Span getHours(Number n) {
        return getH(n);
    }

    public static Span getD(Number n) {
        return span(n, 86_400_000_000_000L);
    }

    public static Span getDays(Number n) {
        return getD(n);
    }

    public static Span getW(Number n) {
        return span(n, 604_800_000_000_000L);
    }

    public static Span getWeeks(Number n) {
        return getW(n);
    }

    public static ByteSize plus(ByteSize a, ByteSize b) {
        return new ByteSize(Math.addExact(a.bytes(), b.bytes()));
    }

    public static ByteSize minus(ByteSize a, ByteSize b) {
        return new ByteSize(a.bytes() - b.bytes());
    }

    public static ByteSize multiply(ByteSize a, Number times) {
        return size(times, a.bytes());
    }

    public static ByteSize multiply(Number times, ByteSize a) {
        return size(times, a.bytes());
    }

    public static ByteSize div(ByteSize a, Number parts) {
        return new ByteSize((long) (a.bytes() / parts.doubleValue()));
    }

    public static double div(ByteSize a, ByteSize b) {
        return (double) a.bytes() / b.bytes();
    }

    /** Bytes in a time are a rate. */
    public static Rate div(ByteSize a, Span time) {
        return new Rate(Math.round(a.bytes() / (time.duration().toNanos() / 1e9)));
    }

    /** The time that these bytes take at the rate. */
    public static Span div(ByteSize a, Rate rate) {
        return new Span(Duration.ofNanos((long) (a.bytes() * 1e9 / rate.bytesPerSecond())));
    }

    public static double div(Rate a, Rate b) {
        return (double) a.bytesPerSecond() / b.bytesPerSecond();
    }

    public static Rate multiply(Rate a, Number times) {
        return new Rate((long) (a.bytesPerSecond() * times.doubleValue()));
    }

    /** Below zero and so no size: a key to sort by, largest first. */
    public static long negative(ByteSize a) {
        return -a.bytes();
    }

    public static long negative(Rate a) {
        return -a.bytesPerSecond();
    }

    public static long negative(Span a) {
        return -a.duration().toNanos();
    }

    public static Span plus(Span a, Span b) {
        return new Span(a.duration().plus(b.duration()));
    }

    public static Span minus(Span a, Span b) {
        return new Span(a.duration().minus(b.duration()));
    }

    public static Span multiply(Span a, Number times) {
        return span(times, a.duration().toNanos());
    }

    public static double div(Span a, Span b) {
        return (double) a.duration().toNanos() / b.duration().toNanos();
    }

    public static Instant plus(Instant time, Span span) {
        return time.plus(span.duration());
    }

    public static Instant minus(Instant time, Span span) {
        return time.minus(span.duration());
    }

    public static Span minus(Instant later, Instant earlier) {
        return new Span(Duration.between(earlier, later));
    }

    /** Fit for a file name: {@code 20261116T101530Z}. */
    public static String getIso(Instant time) {
        return DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC).format(time);
    }

    private static ByteSize size(Number count, long unit) {
        return new ByteSize(times(count, unit));
    }

    private static Span span(Number count, long nanos) {
        return new Span(Duration.ofNanos(times(count, nanos)));
    }

    private static long times(Number count, long unit) {
        BigDecimal exact = new BigDecimal(count.toString()).multiply(BigDecimal.valueOf(unit));
        if (exact.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("too large: " + count);
        }
        return exact.longValue();
    }
}

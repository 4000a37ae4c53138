package volsh.bench;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import volsh.unit.ByteSize;

/**
 * What one phase of a bench came to.
 *
 * @param phase      what was repeated, such as {@code read} or {@code create}
 * @param threads    how many did so at the same time
 * @param each       bytes of one operation; none if it moves no data
 * @param operations how often it was done by all of them
 * @param elapsed    from the first begin to the last end
 * @param shares     what else was measured, as parts of a whole between 0 and 1, such as {@code stall} or {@code hits}
 */
public record Measurement(String phase, int threads, ByteSize each, long operations, ByteSize bytes, Duration elapsed, OperationLatencies latency,
        Map<String, Double> shares) {
    public Measurement {
        shares = Collections.unmodifiableMap(new LinkedHashMap<>(shares));
    }

    public Measurement(String phase, int threads, ByteSize each, long operations, ByteSize bytes, Duration elapsed, OperationLatencies latency) {
        this(phase, threads, each, operations, bytes, elapsed, latency, Map.of());
    }

    /** What was done once, with so many bytes. */
    public static Measurement once(String phase, long bytes, Duration time) {
        return new Measurement(phase, 1, new ByteSize(bytes), 1, new ByteSize(bytes), time, new OperationLatencies(time, time, time, time));
    }

    public double perSecond() {
        return operations / seconds();
    }

    public double bytesPerSecond() {
        return bytes.bytes() / seconds();
    }

    private double seconds() {
        return Math.max(1, elapsed.toNanos()) / 1e9;
    }

    /** What is compared between runs: bytes if there are any, else operations, for each second. */
    public double speed() {
        return bytes.bytes() > 0 ? bytesPerSecond() : perSecond();
    }
}

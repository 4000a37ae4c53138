package volsh.bench;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import volsh.unit.ByteSize;

/**
 * The result of one phase of a bench.
 *
 * @param phase      what was repeated, such as {@code read} or {@code create}
 * @param threads    how many did so concurrently
 * @param each       bytes of one operation; 0 if it moves no data
 * @param operations how often it was done by all threads
 * @param elapsed    from the first start to the last end
 * @param shares     other results, as fractions between 0 and 1, such as {@code stall} or {@code hits}
 */
public record Measurement(String phase, int threads, ByteSize each, long operations, ByteSize bytes, Duration elapsed,
        OperationLatencies latency, Map<String, Double> shares) {
    public Measurement {
        shares = Collections.unmodifiableMap(new LinkedHashMap<>(shares));
    }

    public Measurement(String phase, int threads, ByteSize each, long operations, ByteSize bytes, Duration elapsed,
            OperationLatencies latency) {
        this(phase, threads, each, operations, bytes, elapsed, latency, Map.of());
    }

    /** A single operation with this many bytes. */
    public static Measurement once(String phase, long bytes, Duration time) {
        return new Measurement(phase, 1, new ByteSize(bytes), 1, new ByteSize(bytes), time,
                new OperationLatencies(time, time, time, time));
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

    /** The value to compare between runs: bytes per second if there are any, otherwise operations per second. */
    public double speed() {
        return bytes.bytes() > 0 ? bytesPerSecond() : perSecond();
    }
}

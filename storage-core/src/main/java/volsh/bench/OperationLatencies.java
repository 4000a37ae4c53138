package volsh.bench;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/** Percentiles of the durations of single operations. */
public record OperationLatencies(Duration p50, Duration p95, Duration p99, Duration max) {
    public static OperationLatencies of(Histogram nanos) {
        return new OperationLatencies(at(nanos, 50), at(nanos, 95), at(nanos, 99),
                Duration.ofNanos(nanos.getMaxValue()));
    }

    private static Duration at(Histogram nanos, double percent) {
        return Duration.ofNanos(nanos.getValueAtPercentile(percent));
    }
}

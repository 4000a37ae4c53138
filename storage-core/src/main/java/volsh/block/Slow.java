package volsh.block;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Delays every answer by {@code latency} and up to {@code jitter} more. For benchmarks and tests. */
public record Slow(BlockStore delegate, Duration latency, Duration jitter, Pause pause) implements Preceded {
    public Slow {
        if (latency.isNegative() || jitter.isNegative()) {
            throw new IllegalArgumentException("invalid latency: %s + %s".formatted(latency, jitter));
        }
    }

    @Override
    public void before() throws IOException {
        long more = jitter.isZero() ? 0 : ThreadLocalRandom.current().nextLong(jitter.toNanos() + 1);
        pause.sleep(latency.plusNanos(more));
    }
}

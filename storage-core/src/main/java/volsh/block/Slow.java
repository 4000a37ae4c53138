package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * Answers late, as a distant bucket does: by {@code latency} and up to {@code jitter} more. For benchmarks and tests.
 */
public record Slow(BlockStore delegate, Duration latency, Duration jitter, Pause pause) implements Forwarding {
    public Slow {
        if (latency.isNegative() || jitter.isNegative()) {
            throw new IllegalArgumentException("impossible latency: %s + %s".formatted(latency, jitter));
        }
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        dawdle();
        return delegate.get(key, offset, target);
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        dawdle();
        delegate.put(key, data);
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        dawdle();
        return PutsOnce.of(delegate).putIfAbsent(key, data);
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        dawdle();
        delegate.delete(key);
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        dawdle();
        delegate.deleteAll(keys);
    }

    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        dawdle();
        return delegate.list(prefix);
    }

    private void dawdle() throws IOException {
        long more = jitter.isZero() ? 0 : ThreadLocalRandom.current().nextLong(jitter.toNanos() + 1);
        pause.sleep(latency.plusNanos(more));
    }
}

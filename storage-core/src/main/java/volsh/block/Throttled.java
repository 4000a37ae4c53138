package volsh.block;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.unit.Rate;

/** Limits the number of concurrent calls and the bytes per second, to protect a store or a network. */
public final class Throttled implements Forwarding {
    private final BlockStore delegate;
    private final Semaphore slots;
    private final Bandwidth bandwidth;

    /** With both limits. {@code concurrency} is the number of calls that may run at the same time. */
    public Throttled(BlockStore delegate, int concurrency, Rate rate, Pause pause) {
        if (concurrency < 1) {
            throw new IllegalArgumentException("concurrency must be at least 1: " + concurrency);
        }
        this.delegate = delegate;
        this.slots = new Semaphore(concurrency, true);
        this.bandwidth = new Bandwidth(rate, pause);
    }

    @Override
    public BlockStore delegate() {
        return delegate;
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        return inSlot(() -> {
            int count = delegate.get(key, offset, target);
            bandwidth.send(count);
            return count;
        });
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        inSlot(() -> {
            bandwidth.send(data.remaining());
            delegate.put(key, data);
            return null;
        });
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        return inSlot(() -> {
            bandwidth.send(data.remaining());
            return PutsOnce.of(delegate).putIfAbsent(key, data);
        });
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        inSlot(Call.of(() -> delegate.delete(key)));
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        inSlot(Call.of(() -> delegate.deleteAll(keys)));
    }

    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        return inSlot(() -> delegate.list(prefix));
    }

    private <R extends @Nullable Object> R inSlot(Call<R> call) throws IOException {
        try {
            slots.acquire();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a free slot");
        }
        try {
            return call.run();
        } finally {
            slots.release();
        }
    }
}

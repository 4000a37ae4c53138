package volsh.block;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.block.BlockStoreContract.key;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;
import volsh.unit.Rate;

final class ThrottledTest implements BlockStoreContract {
    private final FakePause pause = new FakePause();

    @Override
    public BlockStore open() {
        return new Throttled(new MemoryBlockStore(), 2, Rate.of("100MB/s"), pause);
    }

    @Test
    void bytesTakeTheirTime() throws Exception {
        try (BlockStore store = new Throttled(new MemoryBlockStore(), 8, Rate.of("1MB/s"), pause)) {
            for (int i = 0; i < 10; i++) {
                store.put(BlockKey.of(i), ByteBuffer.allocate(100_000));
            }
            store.get(BlockKey.of(0), 50_000, ByteBuffer.allocate(100_000));
        }
        assertThat(Duration.ofNanos(pause.nanoTime())).isEqualTo(Duration.ofMillis(1_050));
    }

    @Test
    void onlySoManyAtOnce() throws Exception {
        var running = new AtomicInteger();
        var most = new AtomicInteger();
        record Watched(BlockStore delegate, AtomicInteger running, AtomicInteger most) implements Forwarding {
            @Override
            public void put(BlockKey key, ByteBuffer data) throws IOException {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                Thread.yield();
                delegate.put(key, data);
                running.decrementAndGet();
            }
        }
        var done = new CountDownLatch(200);
        var watched = new Watched(new MemoryBlockStore(), running, most);
        try (BlockStore store = new Throttled(watched, 3, Rate.of("1TB/s"), pause);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 200; i++) {
                threads.submit(() -> {
                    store.put(key("a"), ByteBuffer.allocate(10));
                    done.countDown();
                    return null;
                });
            }
            done.await();
        }
        assertThat(most.get()).isBetween(1, 3);
    }
}

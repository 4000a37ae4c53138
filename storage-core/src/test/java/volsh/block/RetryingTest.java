package volsh.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.block.BlockStoreContract.bytes;
import static volsh.block.BlockStoreContract.key;
import static volsh.block.BlockStoreContract.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;
import volsh.unit.Percent;

/** Keeps every promise over a store that fails a third of all calls. */
final class RetryingTest implements BlockStoreContract {
    private static final RetryPolicy LONG = new RetryPolicy(
            60, Duration.ofMillis(1), Duration.ofSeconds(10), Duration.ofDays(1));

    private final FakePause pause = new FakePause();
    private final Faults faults = new Faults(new Percent(33), 1);

    @Override
    public BlockStore open() {
        return new Retrying(new Faulty(new MemoryBlockStore(), faults), LONG, pause, new Random(1));
    }

    @AfterEach
    void printFaults() {
        System.out.printf("retrying: seed 1, %d faults injected%n", faults.injected());
    }

    @Test
    void manyCallsThroughManyFaults() throws Exception {
        try (BlockStore store = open()) {
            for (int i = 0; i < 500; i++) {
                store.put(BlockKey.of(i), bytes("block " + i));
                assertThat(read(store, BlockKey.of(i), 0, 99)).isEqualTo("block " + i);
            }
        }
        assertThat(faults.injected()).isGreaterThan(100);
    }

    @Test
    void withoutRetriesTheSameCallsFail() {
        assertThatThrownBy(() -> {
            var store = new Faulty(new MemoryBlockStore(), faults);
            for (int i = 0; i < 500; i++) {
                store.put(BlockKey.of(i), bytes("x"));
            }
        }).hasMessageContaining("injected fault");
    }

    @Test
    void givesUpAfterSoManyAttempts() {
        var calls = new AtomicInteger();
        var four = new RetryPolicy(4, Duration.ofMillis(100), Duration.ofMillis(300), Duration.ofHours(1));
        var store = new Retrying(broken(calls), four, pause, new Random(1));
        assertThatThrownBy(() -> store.put(key("a"), bytes("x")))
                .hasMessageContaining("failed to put a after 4 attempts")
                .hasMessageContaining("out of order")
                .hasCauseInstanceOf(IOException.class);
        assertThat(calls).hasValue(4);
        assertThat(pause.slept).hasSize(3);
        assertBetween(pause.slept.get(0), 50, 100);
        assertBetween(pause.slept.get(1), 100, 200);
        assertBetween(pause.slept.get(2), 150, 300);
    }

    @Test
    void givesUpWhenTimeIsOver() {
        var calls = new AtomicInteger();
        var tenSeconds = new RetryPolicy(1000, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(10));
        var store = new Retrying(broken(calls), tenSeconds, pause, new Random(1));
        assertThatThrownBy(() -> store.list("")).hasMessageContaining("failed to list");
        assertThat(calls.get()).isBetween(10, 21);
        assertThat(Duration.ofNanos(pause.nanoTime())).isLessThanOrEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void anAbsentBlockIsAnAnswer() {
        var store = new Retrying(new MemoryBlockStore(), LONG, pause, new Random(1));
        assertThatThrownBy(() -> store.get(key("a"), 0, ByteBuffer.allocate(1)))
                .isInstanceOf(NoSuchBlockException.class);
        assertThat(pause.slept).isEmpty();
    }

    @Test
    void aRefusalIsAnAnswer() {
        record Closed(BlockStore delegate) implements Forwarding {
            @Override
            public void put(BlockKey key, ByteBuffer data) throws IOException {
                throw new RefusedException(RefusedException.Reason.DENIED, "no");
            }
        }
        var store = new Retrying(new Closed(new MemoryBlockStore()), LONG, pause, new Random(1));
        assertThatThrownBy(() -> store.put(key("a"), bytes("x"))).isInstanceOf(RefusedException.class);
        assertThat(pause.slept).isEmpty();
    }

    @Test
    void aStoreThatAsksForTimeIsGivenIt() throws IOException {
        record Busy(BlockStore delegate, AtomicInteger calls) implements Forwarding {
            @Override
            public void put(BlockKey key, ByteBuffer data) throws IOException {
                if (calls.incrementAndGet() < 3) {
                    throw new SlowDownException("busy", Duration.ofSeconds(7), null);
                }
            }
        }
        new Retrying(new Busy(new MemoryBlockStore(), new AtomicInteger()), LONG, pause, new Random(1))
                .put(key("a"), bytes("x"));
        assertThat(pause.slept).hasSize(2).allMatch(each -> each.compareTo(Duration.ofSeconds(7)) > 0);
    }

    @Test
    void aListingThatBreaksOffGoesOn() throws IOException {
        record Breaking(BlockStore delegate, AtomicInteger entries) implements Forwarding {
            @Override
            public Stream<Listed> list(String prefix) throws IOException {
                return delegate.list(prefix).peek(each -> {
                    if (entries.incrementAndGet() % 7 == 0) {
                        throw new UncheckedIOException(new IOException("cut"));
                    }
                });
            }
        }
        var memory = new MemoryBlockStore();
        for (int i = 0; i < 5; i++) {
            memory.put(key("k" + i), bytes("x"));
        }
        var entries = new AtomicInteger();
        var store = new Retrying(new Breaking(memory, entries), LONG, pause, new Random(1));
        for (int round = 0; round < 5; round++) {
            try (var listed = store.list("k")) {
                assertThat(listed.map(each -> each.key().text())).containsExactly("k0", "k1", "k2", "k3", "k4");
            }
        }
        assertThat(entries).as("some were told twice").hasValueGreaterThan(25);
    }

    @Test
    void anInterruptedCallerIsNotMadeToWait() {
        var calls = new AtomicInteger();
        var store = new Retrying(broken(calls), LONG, pause, new Random(1));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> store.delete(key("a"))).hasMessage("out of order");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(calls).hasValue(1);
    }

    private static void assertBetween(Duration duration, long lowMillis, long highMillis) {
        assertThat(duration).isBetween(Duration.ofMillis(lowMillis), Duration.ofMillis(highMillis));
    }

    private static BlockStore broken(AtomicInteger calls) {
        var faulty = new Faulty(new MemoryBlockStore(), new Faults(new Percent(100), 1));
        record Counting(BlockStore delegate, AtomicInteger calls) implements Forwarding {
            @Override
            public void put(BlockKey key, ByteBuffer data) throws IOException {
                fail();
            }

            @Override
            public void delete(BlockKey key) throws IOException {
                fail();
            }

            @Override
            public Stream<Listed> list(String prefix) throws IOException {
                throw fail();
            }

            private IOException fail() throws IOException {
                calls.incrementAndGet();
                throw new IOException("out of order");
            }
        }
        return new Counting(faulty, calls);
    }
}

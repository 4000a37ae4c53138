package volsh.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.UnavailableException;
import volsh.block.memory.MemoryBlockStore;
import volsh.hang.Eventually;

/**
 * Stores with the same shipped metadata, of which one takes requests and does not answer: the others go on, and it gets
 * the rest later.
 */
@Timeout(300)
@Tag("wait")
final class ReplicasTest {
    private static final Replica.Limits SHORT = new Replica.Limits(Duration.ofSeconds(3), Duration.ofMillis(1),
            Duration.ofMillis(1));
    private static final Replica.Limits ENDLESS = new Replica.Limits(Duration.ofHours(1), Duration.ofMillis(1),
            Duration.ofMillis(1));

    private final Hanging first = new Hanging();
    private final Hanging second = new Hanging();

    /** Where calls do not return, whatever happens to their threads, while it hangs. */
    private static final class Hanging implements Forwarding {
        private final MemoryBlockStore store = new MemoryBlockStore();
        private final AtomicInteger calls = new AtomicInteger();
        private final CountDownLatch asked = new CountDownLatch(1);
        private CountDownLatch released = new CountDownLatch(0);
        private boolean away;

        @Override
        public synchronized BlockStore delegate() {
            return store;
        }

        /** A replica opens the store again after it failed, which is a call, too. */
        Hanging open() throws IOException {
            enter();
            return this;
        }

        private synchronized CountDownLatch gate() throws IOException {
            if (away) {
                throw new UnavailableException("away", null);
            }
            return released;
        }

        private void enter() throws IOException {
            calls.incrementAndGet();
            var gate = gate();
            boolean interrupted = false;
            while (gate.getCount() > 0) {
                asked.countDown();
                try {
                    gate.await();
                } catch (InterruptedException ignored) {
                    interrupted = true;   // as a thread that is inside the kernel
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        synchronized void hang() {
            released = new CountDownLatch(1);
        }

        synchronized void release() {
            released.countDown();
        }

        synchronized void setAway(boolean is) {
            away = is;
        }

        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            enter();
            return store.get(key, offset, target);
        }

        @Override
        public void put(BlockKey key, ByteBuffer data) throws IOException {
            enter();
            store.put(key, data);
        }

        @Override
        public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
            enter();
            return store.putIfAbsent(key, data);
        }

        @Override
        public Stream<Listed> list(String prefix) throws IOException {
            enter();
            return store.list(prefix);
        }

        @Override
        public void close() {
            // it is opened again
        }

        boolean has(BlockKey key) throws IOException {
            try (var listed = store.list(key.text())) {
                return listed.findAny().isPresent();
            }
        }
    }

    private Replicas replicas(Replica.Limits limits) {
        return new Replicas(List.of(new Replicas.Source("first", first::open),
                new Replicas.Source("second", second::open)), limits);
    }

    @AfterEach
    void release() {
        first.release();
        second.release();
    }

    private static ByteBuffer log(long epoch, int content) {
        var bytes = ByteBuffer.allocate(ShippedObject.EPOCH_END + 1);
        bytes.putLong(ShippedObject.EPOCH_END - Long.BYTES, epoch);
        return bytes.put(ShippedObject.EPOCH_END, (byte) content);
    }

    private static void requireEqual(Replicas replicas, BlockKey key, ByteBuffer wanted) throws IOException {
        var found = ByteBuffer.allocate(wanted.remaining());
        replicas.get(key, 0, found);
        assertThat(found.flip()).isEqualTo(wanted);
    }

    @Test
    void oneThatHangsIsDoneWithoutAndGetsTheRestWhenItAnswers() throws Exception {
        for (var hanging : List.of(first, second)) {
            var other = hanging == first ? second : first;
            try (var replicas = replicas(SHORT)) {
                long base = hanging == first ? 0 : 100;
                assertThat(replicas.putIfAbsent(ShippedNames.log(base + 1), log(1, 1))).isTrue();
                hanging.hang();
                int asked = hanging.calls.get();
                assertThat(replicas.putIfAbsent(ShippedNames.log(base + 2), log(1, 2))).isTrue();
                replicas.put(new BlockKey("meta/alive/a"), log(1, 9));
                for (int i = 3; i < 20; i++) {
                    assertThat(replicas.putIfAbsent(ShippedNames.log(base + i), log(1, i))).isTrue();
                    requireEqual(replicas, ShippedNames.log(base + i), log(1, i));
                }
                assertThat(hanging.calls.get()).as("one call is out, and nobody makes another one wait")
                        .isEqualTo(asked + 1);
                assertThat(hanging.has(ShippedNames.log(base + 3))).isFalse();
                assertThat(other.has(ShippedNames.log(base + 19))).isTrue();
                assertThat(replicas.levelAll()).as("whoever asks is told the truth").isFalse();
                hanging.release();
                Eventually.holds("its thread ends, and all are level", replicas::levelAll);
                for (int i = 2; i < 20; i++) {
                    assertThat(hanging.has(ShippedNames.log(base + i))).isTrue();
                }
            }
        }
    }

    /** The control: with no limit everybody waits, so the store of this test does hang. */
    @Test
    void withoutALimitNothingGoesOn() throws Exception {
        first.hang();
        try (var replicas = replicas(ENDLESS); var pool = Executors.newSingleThreadExecutor()) {
            var put = pool.submit(() -> replicas.putIfAbsent(ShippedNames.log(1), log(1, 1)));
            first.asked.await();
            assertThat(put.isDone()).isFalse();
            assertThat(second.has(ShippedNames.log(1))).isFalse();
            first.release();
            assertThat(put.get()).isTrue();
        }
    }

    @Test
    void ifAllHangThatIsAnError() throws IOException {
        first.hang();
        second.hang();
        try (var replicas = replicas(SHORT)) {
            assertThatThrownBy(() -> replicas.put(new BlockKey("meta/alive/a"), log(1, 1)))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("timed out");
            assertThatThrownBy(() -> replicas.putIfAbsent(ShippedNames.log(1), log(1, 1)))
                    .isInstanceOf(UnavailableException.class);
        }
    }

    /** What hung is put at last, when another host has taken the volume over: its log counts. */
    @Test
    void aLatePutIsNoHarm() throws Exception {
        try (var replicas = replicas(SHORT)) {
            replicas.putIfAbsent(ShippedNames.log(1), log(1, 1));
            first.hang();
            replicas.putIfAbsent(ShippedNames.log(2), log(1, 2));
            second.store.put(ShippedNames.log(3), log(2, 7));
            assertThat(replicas.putIfAbsent(ShippedNames.log(3), log(1, 3))).as("lost").isFalse();
            first.release();
            Eventually.holds("all are level", replicas::levelAll);
            requireEqual(replicas, ShippedNames.log(3), log(2, 7));
            assertThat(first.has(ShippedNames.log(3))).isTrue();
        }
    }

    /** A store that was away for a part of a base has all of them before it has the base. */
    @Test
    void aBaseIsNotFoundWithoutItsParts() throws Exception {
        try (var replicas = replicas(SHORT)) {
            replicas.put(ShippedNames.part(5, "a", 0), log(1, 1));
            second.setAway(true);
            replicas.put(ShippedNames.part(5, "a", 1), log(1, 2));
            second.setAway(false);
            Eventually.holds("it is asked again", () -> {
                replicas.putIfAbsent(ShippedNames.base(5), log(1, 3));
                return second.has(ShippedNames.base(5));
            });
            assertThat(second.has(ShippedNames.part(5, "a", 1))).isTrue();
        }
    }

    /** A store whose pause ends while another one takes the base has to be filled first: it gets nothing now. */
    @Test
    void aStoreThatComesBackMeanwhileIsFilledFirst() throws Exception {
        var pause = Duration.ofMillis(300);
        try (var replicas = replicas(new Replica.Limits(Duration.ofHours(1), pause, pause))) {
            replicas.put(ShippedNames.part(5, "a", 0), log(1, 1));
            assertThat(replicas.levelAll()).isTrue();
            second.setAway(true);
            replicas.put(ShippedNames.part(5, "a", 1), log(1, 2));
            long failed = System.nanoTime();
            second.setAway(false);
            first.hang();
            var base = CompletableFuture.supplyAsync(() -> {
                try {
                    return replicas.putIfAbsent(ShippedNames.base(5), log(1, 3));
                } catch (IOException unexpected) {
                    throw new UncheckedIOException(unexpected);
                }
            });
            Eventually.open("the first is asked", first.asked);
            Eventually.holds("the pause of the second is over", () -> System.nanoTime() - failed > pause.toNanos());
            first.release();
            assertThat(Eventually.result("the base", base)).isTrue();
            assertThat(second.has(ShippedNames.base(5)) && !second.has(ShippedNames.part(5, "a", 1)))
                    .as("a base without a part").isFalse();
            Eventually.holds("all are level", replicas::levelAll);
            assertThat(second.has(ShippedNames.base(5)) && second.has(ShippedNames.part(5, "a", 1))).isTrue();
        }
    }
}

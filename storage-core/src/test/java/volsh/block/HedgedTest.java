package volsh.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.block.BlockStoreContract.bytes;
import static volsh.block.BlockStoreContract.key;
import static volsh.block.BlockStoreContract.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.block.Lagging.Answer;
import volsh.block.memory.MemoryBlockStore;
import volsh.hang.Eventually;

/** Late answers are asked for twice, a few of them, and the bytes are right whoever was first. */
@Tag("wait")
final class HedgedTest implements BlockStoreContract {
    private static final int THREADS = 8;
    private static final Answer PROMPT = new Answer(0, true);
    private static final Answer USUAL = new Answer(5, true);
    private static final Answer VERY_LATE = new Answer(1000, true);
    private static final Answer NEVER = new Answer(3_600_000, true);

    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final MemoryBlockStore memory = new MemoryBlockStore();

    @Override
    public BlockStore open() {
        var random = new Random(1);
        return new Hedged(new Lagging(memory, () -> random.nextInt(20) == 0 ? new Answer(70, true) : PROMPT));
    }

    /** Answers as {@code after} says, once there was enough to learn from. */
    private static Supplier<Answer> learnt(Supplier<Answer> after) {
        return new Supplier<>() {
            private int count;

            @Override
            public synchronized Answer get() {
                return count++ < GetLatencies.LEARNT ? PROMPT : after.get();
            }
        };
    }

    private Lagging lagging(Supplier<Answer> after) {
        var store = new Lagging(memory, learnt(after));
        memory.put(key("a"), bytes("hello"));
        return store;
    }

    private static void learn(BlockStore store) throws IOException {
        for (int i = 0; i < GetLatencies.LEARNT; i++) {
            assertThat(read(store, key("a"), 0, 9)).isEqualTo("hello");
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    /** Each of so many calls in one of so many threads; returns how long they took, sorted. */
    private static List<Long> together(int threads, int count, Work work) throws Exception {
        var took = Collections.synchronizedList(new ArrayList<Long>());
        Callable<Void> one = () -> {
            long begin = System.nanoTime();
            work.run();
            took.add(System.nanoTime() - begin);
            return null;
        };
        try (var crew = Executors.newFixedThreadPool(threads)) {
            for (var done : crew.invokeAll(Collections.nCopies(count, one))) {
                done.get();
            }
        }
        var sorted = new ArrayList<>(took);
        Collections.sort(sorted);
        return sorted;
    }

    @Test
    void fewWaitForAVeryLateAnswer() throws Exception {
        int count = 800;
        long[] waited = new long[2];
        long[] p99 = new long[2];
        for (int hedged = 0; hedged <= 1; hedged++) {
            var answers = new AtomicLong();
            var slow = lagging(() -> answers.incrementAndGet() % 50 == 0 ? VERY_LATE : USUAL);
            try (BlockStore store = hedged == 1 ? new Hedged(slow) : slow) {
                learn(store);
                p99[hedged] = together(THREADS, count, () -> read(store, key("a"), 0, 9)).get(count * 99 / 100);
                waited[hedged] = slow.waitedFor().get();
                if (store instanceof Hedged fast) {
                    assertThat(fast.counts().won()).isPositive();
                    assertThat(fast.counts().hedges()).isBetween(1L, (count + GetLatencies.LEARNT) / 20L);
                }
            }
        }
        System.out.printf("hedged: very late answers waited for: %d without, %d with; p99 %d and %d ms%n",
                waited[0], waited[1], p99[0] / 1_000_000, p99[1] / 1_000_000);
        assertThat(waited[0]).as("negative control: not hedged").isGreaterThan(5);
        assertThat(waited[1]).isLessThan(waited[0] / 2);
    }

    /** Nothing answers; each get is tried again and again by those above, and the store hears hardly more of it. */
    @Test
    void anOutageIsNotMadeWorse() throws Exception {
        var down = new AtomicBoolean();
        var broken = lagging(() -> down.get() ? new Answer(120, false) : PROMPT);
        try (var store = new Hedged(broken)) {
            for (int i = 0; i < 4; i++) {   // so much that a moment without the processor does not count
                learn(store);
            }
            down.set(true);
            long before = broken.gets().get();
            together(50, 400, () -> assertThatThrownBy(() -> read(store, key("a"), 0, 9)).hasMessage("out of order"));
            assertThat(broken.gets().get() - before).isGreaterThan(400)
                    .isLessThanOrEqualTo(400 + (400 + 4 * GetLatencies.LEARNT) / 20);
        }
    }

    @Test
    void aStoreThatAsksForLessIsNotAskedTwice() throws Exception {
        var slow = lagging(() -> new Answer(120, true));
        record Busy(Lagging delegate) implements Forwarding, AbortableGets {
            @Override
            public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
                return get(key, offset, target, new Abort());
            }

            @Override
            public int get(BlockKey key, long offset, ByteBuffer target, Abort abort) throws IOException {
                if (key.text().equals("busy")) {
                    throw new SlowDownException("busy", Duration.ZERO, null);
                }
                return delegate.get(key, offset, target, abort);
            }
        }
        try (var store = new Hedged(new Busy(slow))) {
            learn(store);
            assertThatThrownBy(() -> read(store, key("busy"), 0, 1)).isInstanceOf(SlowDownException.class);
            assertThat(read(store, key("a"), 0, 9)).isEqualTo("hello");
            assertThat(store.counts().hedges()).isZero();
        }
    }

    @Test
    void putsAreSentOnce() throws IOException {
        var slow = lagging(() -> new Answer(120, true));
        try (var store = new Hedged(slow)) {
            learn(store);
            store.put(key("b"), bytes("x"));
            assertThat(slow.puts().get()).isEqualTo(1);
        }
    }

    /** What is absent is told at once, and not waited for a second time. */
    @Test
    void anAbsentBlockIsAnAnswer() throws IOException {
        try (var store = new Hedged(lagging(() -> new Answer(70, true)))) {
            learn(store);
            assertThatThrownBy(() -> read(store, key("absent"), 0, 9)).isInstanceOf(NoSuchBlockException.class);
        }
    }

    @Test
    void anInterruptedReaderIsLetGo() throws Exception {
        try (var store = new Hedged(lagging(() -> NEVER))) {
            learn(store);
            var reader = Thread.ofPlatform()
                    .start(() -> assertThatThrownBy(() -> read(store, key("a"), 0, 9)).isInstanceOf(IOException.class));
            Eventually.holds("it is asked a second time", () -> store.counts().hedges() > 0);
            reader.interrupt();
            reader.join();
            awaitIdle(store);
        }
    }

    /** Delays and failures of all kinds: right bytes or an error, now and later; and no buffer is lost. */
    @Test
    void neverBytesOfTwoAnswers() throws Exception {
        var kept = Collections.synchronizedList(new ArrayList<Read>());
        var lag = lagging(() -> new Answer(random.nextInt(4) > 0 ? 0 : random.nextInt(160), random.nextInt(5) > 0));
        byte[] block = new byte[200_000];
        random.nextBytes(block);
        memory.put(key("block"), ByteBuffer.wrap(block));
        try (var store = new Hedged(lag)) {
            learn(store);
            var failures = new AtomicLong();
            together(32, 3_000, () -> {
                int offset = (int) (Math.random() * 150_000);
                var target = ByteBuffer.allocate(50_000);
                try {
                    assertThat(store.get(key("block"), offset, target)).isEqualTo(50_000);
                    assertThat(target.remaining()).isZero();
                    kept.add(new Read(offset, target));
                    kept.getLast().check(block);
                } catch (IOException told) {
                    failures.incrementAndGet();
                }
            });
            awaitIdle(store);
            System.out.printf("hedged seed %d: %s, %d right, %d failed%n", seed, store.counts(), kept.size(),
                    failures.get());
            assertThat(store.counts().won()).as("second answers taken").isPositive();
            assertThat(failures.get()).isPositive();
        }
        for (var read : kept) {
            read.check(block);
        }
    }

    /** Negative control: a loser that had the caller's memory is noticed. */
    @Test
    void sharedMemoryWouldBeNoticed() throws Exception {
        byte[] block = new byte[50_000];
        memory.put(key("block"), ByteBuffer.wrap(block));
        var target = ByteBuffer.allocate(50_000);
        var abort = new Abort();
        var late = new Lagging(memory, () -> NEVER);
        var loser = Thread.ofVirtual().start(() ->
                assertThatThrownBy(() -> late.get(key("block"), 0, target.duplicate(), abort)).hasMessage("aborted"));
        Eventually.holds("it is asked", () -> late.gets().get() > 0);
        assertThat(new Lagging(memory, () -> PROMPT).get(key("block"), 0, target)).isEqualTo(50_000);
        abort.call();
        loser.join();
        assertThatThrownBy(() -> new Read(0, target).check(block)).hasMessageContaining("wrong byte");
    }

    private record Read(int offset, ByteBuffer target) {
        void check(byte[] block) {
            assertThat(Arrays.mismatch(target.array(), 0, 50_000, block, offset, offset + 50_000)).as("wrong byte")
                    .isEqualTo(-1);
        }
    }

    private static void awaitIdle(Hedged store) {
        Eventually.value("all buffers are idle", () -> store.buffers().idle(), idle -> idle >= 4);
    }
}

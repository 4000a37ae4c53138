package volsh.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)   // a deadlock, nothing else
final class MemoryCacheTest {
    private static final int FRAME = 4096;

    private final MemoryCache cache = new MemoryCache(16 * FRAME, FRAME);

    @AfterEach
    void nothingIsLeased() {
        assertThat(cache.usage().leases()).isZero();
        cache.close();
    }

    private static FrameKey key(int number) {
        return new FrameKey(number / 4, number % 4);
    }

    /** Loads the frame, full of its number; false if it is here already. */
    private boolean load(int number) {
        return load(number, FRAME);
    }

    private boolean load(int number, int wanted) {
        return switch (cache.ask(key(number), FRAME, wanted)) {
            case Answer.Missing(Answer.Room room) -> {
                fill(room, number);
                room.filled().close();
                yield true;
            }
            case Answer.Here(FrameLease lease) -> {
                assertHolds(lease, number);
                lease.close();
                yield false;
            }
            case Answer.Coming _, Answer.Unwanted _ -> throw new AssertionError("alone, and with room");
        };
    }

    private static void fill(Answer.Room room, int number) {
        var target = room.target();
        while (target.hasRemaining()) {
            target.putInt(number);
        }
    }

    private static void assertHolds(FrameLease lease, int number) {
        var bytes = lease.bytes();
        assertThat(bytes.remaining()).isEqualTo(FRAME);
        assertThat(bytes.getInt(0)).isEqualTo(number);
        assertThat(bytes.getInt(FRAME - 4)).isEqualTo(number);
    }

    // ---- one at a time

    @Test
    void aFrameIsLoadedOnceAndFoundThen() {
        assertThat(load(1)).isTrue();
        assertThat(load(1)).isFalse();
        assertThat(load(2)).isTrue();
        var usage = cache.usage();
        assertThat(usage.hits()).isEqualTo(1);
        assertThat(usage.misses()).isEqualTo(2);
        assertThat(usage.bytes()).isEqualTo(2 * FRAME);
        assertThat(usage.hitRatio()).isBetween(0.33, 0.34);
    }

    @Test
    void framesLieOnPagesAndAreReadOnly() {
        load(1);
        try (var lease = ((Answer.Here) cache.ask(key(1), FRAME, 1)).lease()) {
            assertThat(MemorySegment.ofBuffer(lease.bytes()).address() % 4096).isZero();
            assertThat(lease.bytes().isReadOnly()).isTrue();
        }
    }

    @Test
    void neverMoreThanTheBudget() {
        for (int i = 0; i < 1000; i++) {
            load(i);
            assertThat(cache.usage().bytes()).isLessThanOrEqualTo(16 * FRAME);
        }
        assertThat(cache.usage().evictions()).isEqualTo(1000 - 16);
    }

    @Test
    void whatIsLeasedStays() {
        var leases = new ArrayList<FrameLease>();
        for (int i = 0; i < 16; i++) {
            load(i);
            leases.add(((Answer.Here) cache.ask(key(i), FRAME, FRAME)).lease());
        }
        for (int i = 100; i < 200; i++) {
            assertThat(cache.ask(key(i), FRAME, FRAME)).isInstanceOf(Answer.Unwanted.class);
        }
        for (int i = 0; i < 16; i++) {
            assertHolds(leases.get(i), i);
            leases.get(i).close();
        }
        assertThat(load(100)).isTrue();
    }

    @Test
    void aClosedLeaseIsOfNoUse() {
        load(1);
        var lease = ((Answer.Here) cache.ask(key(1), FRAME, FRAME)).lease();
        lease.close();
        lease.close();
        assertThatThrownBy(lease::bytes).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aFrameThatCouldNotBeLoadedIsMissing() throws IOException {
        var room = ((Answer.Missing) cache.ask(key(1), FRAME, FRAME)).room();
        var coming = (Answer.Coming) cache.ask(key(1), FRAME, FRAME);
        room.close();
        assertThat(coming.await()).isNull();
        assertThat(load(1)).isTrue();
        assertThat(cache.usage().bytes()).isEqualTo(FRAME);
    }

    @Test
    void whoWaitsGetsTheFrame() throws IOException {
        var room = ((Answer.Missing) cache.ask(key(7), FRAME, FRAME)).room();
        var coming = (Answer.Coming) cache.ask(key(7), FRAME, FRAME);
        fill(room, 7);
        room.filled().close();
        room.close();
        try (var lease = coming.await()) {
            assertHolds(lease, 7);
        }
    }

    @Test
    void framesOfADeletedBlockAreDropped() {
        for (int i = 0; i < 8; i++) {
            load(i);
        }
        cache.drop(0);
        assertThat(cache.usage().bytes()).isEqualTo(4 * FRAME);
        assertThat(load(0)).isTrue();
        assertThat(load(4)).isFalse();
    }

    @Test
    void aFrameLargerThanASlabIsNotKept() {
        assertThat(cache.ask(key(1), 100 * FRAME, 1)).isInstanceOf(Answer.Unwanted.class);
    }

    @Test
    void withoutABudgetNothingIsKept() {
        try (var none = new MemoryCache(0, FRAME)) {
            assertThat(none.isOn()).isFalse();
            assertThat(none.ask(key(1), FRAME, FRAME)).isInstanceOf(Answer.Unwanted.class);
            assertThat(none.askAhead(key(1), FRAME)).isInstanceOf(Answer.Unwanted.class);
            assertThat(none.usage()).as("what is read without a cache is a miss")
                    .isEqualTo(new CacheUsage(0, 1, 0, 0, 0, 0, 0));
        }
    }

    // ---- loaded ahead

    @Test
    void whatIsLoadedAheadWaitsForItsReader() {
        for (int i = 0; i < 4; i++) {
            try (var room = ((Answer.Missing) cache.askAhead(key(i), FRAME)).room()) {
                fill(room, i);
                room.filled().close();
            }
        }
        for (int i = 100; i < 200; i++) {
            load(i, 100);   // less than half the budget, all together
        }
        for (int i = 0; i < 4; i++) {
            assertThat(load(i)).as("frame %d", i).isFalse();
        }
        assertThat(cache.usage().prefetched()).isEqualTo(4);
    }

    @Test
    void whatIsLoadedAheadInVainGoes() {
        int first = loadAhead(0);
        assertThat(first).isBetween(1, 6);
        assertThat(loadAhead(50)).as("enough is waiting for readers").isZero();
        for (int i = 100; i < 200; i++) {
            load(i);
        }
        assertThat(loadAhead(50)).isEqualTo(first);
    }

    /** Loads ahead as much as it may; returns the number of frames. */
    private int loadAhead(int from) {
        for (int i = 0; i < 16; i++) {
            if (!(cache.askAhead(key(from + i), FRAME) instanceof Answer.Missing(Answer.Room room))) {
                return i;
            }
            room.filled().close();
        }
        return 16;
    }

    // ---- many at a time

    @Test
    void manyWhoAskForOneFrameCauseOneLoad() throws Exception {
        var loads = new AtomicInteger();
        var start = new CountDownLatch(1);
        Callable<Integer> reader = () -> {
            start.await();
            for (int i = 0; i < 12; i++) {
                try (var lease = leased(i, loads)) {
                    assertHolds(lease, i);
                }
            }
            return null;
        };
        try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            var readers = List.of(reader, reader, reader, reader, reader, reader, reader, reader).stream()
                    .map(threads::submit).toList();
            start.countDown();
            for (var each : readers) {
                each.get();
            }
        }
        assertThat(loads).hasValue(12);
    }

    private FrameLease leased(int number, AtomicInteger loads) throws IOException, InterruptedException {
        return switch (cache.ask(key(number), FRAME, FRAME)) {
            case Answer.Here(FrameLease lease) -> lease;
            case Answer.Coming coming -> coming.await();
            case Answer.Unwanted _ -> throw new AssertionError("there is room");
            case Answer.Missing(Answer.Room room) -> {
                loads.incrementAndGet();
                Thread.sleep(1);
                fill(room, number);
                yield room.filled();
            }
        };
    }

    /**
     * Threads read, load, fail and drop at random: everybody finds the bytes that belong to the key, and all memory
     * comes back.
     */
    @Test
    void everybodyFindsTheRightBytes() throws Exception {
        int keys = 60;
        var found = new AtomicIntegerArray(keys);
        long seed = System.nanoTime();
        System.out.println("cache race seed " + seed);
        try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            var tasks = new ArrayList<java.util.concurrent.Future<?>>();
            for (int thread = 0; thread < 6; thread++) {
                var random = new java.util.SplittableRandom(seed + thread);
                tasks.add(threads.submit(() -> {
                    for (int i = 0; i < 20_000; i++) {
                        visit(random.nextInt(keys), random, found);
                    }
                    return null;
                }));
            }
            for (var task : tasks) {
                task.get();
            }
        }
        for (int i = 0; i < keys; i++) {
            assertThat(found.get(i)).as("hits of key %d", i).isPositive();
        }
        assertThat(cache.usage().evictions()).isPositive();
        for (int block = 0; block < keys; block++) {
            cache.drop(block);
        }
        assertThat(cache.usage().bytes()).isZero();
    }

    private void visit(int number, java.util.SplittableRandom random, AtomicIntegerArray found) throws IOException {
        if (random.nextInt(200) == 0) {
            cache.drop(key(number).block());
        }
        boolean ahead = random.nextInt(5) == 0;
        switch (ahead ? cache.askAhead(key(number), FRAME) : cache.ask(key(number), FRAME, FRAME)) {
            case Answer.Here(FrameLease lease) -> check(lease, number, found);
            case Answer.Coming coming -> check(coming.await(), number, found);
            case Answer.Unwanted _ -> { }
            case Answer.Missing(Answer.Room room) -> {
                try (room) {
                    if (random.nextInt(10) != 0) {
                        fill(room, number);
                        room.filled().close();
                    }
                }
            }
        }
    }

    private static void check(FrameLease lease, int number, AtomicIntegerArray found) {
        if (lease != null) {
            try (lease) {
                assertHolds(lease, number);
                found.incrementAndGet(number);
            }
        }
    }
}

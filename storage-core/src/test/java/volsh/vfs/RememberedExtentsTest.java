package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.MetadataAudit;
import volsh.meta.OnEveryEngine;

/** An open file's extents are remembered between reads: nobody can tell, but by how seldom the metadata is asked. */
@OnEveryEngine
final class RememberedExtentsTest {
    private static final int BLOCK = 4096;
    private static final int SIZE = 5 * BLOCK;

    private final AfterRead afterRead;
    private final CountingReads engine;
    private final Interrupting store = new Interrupting(new MemoryBlockStore());
    private final ManualClock clock = new ManualClock();
    private final byte[] old = noise(SIZE, 1);
    private TestVolume volume;
    private OpenFile file;

    RememberedExtentsTest(EngineKind kind) throws IOException {
        afterRead = new AfterRead(kind.open());
        engine = new CountingReads(afterRead, new AtomicInteger());
    }

    /** Counts how often the metadata is read. */
    private record CountingReads(MetaEngine delegate, AtomicInteger reads) implements MetaEngine {
        @Override
        public <R> R transact(Work<R> work) throws IOException {
            return delegate.transact(work);
        }

        @Override
        public <R> R read(Work<R> work) throws IOException {
            reads.incrementAndGet();
            return delegate.read(work);
        }

        @Override
        public void sync() throws IOException {
            delegate.sync();
        }

        @Override
        public void close() throws IOException {
            delegate.close();
        }
    }

    @BeforeEach
    void readOnce() throws IOException {
        volume = mount(0);
        file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT);
        file.write(0, ByteBuffer.wrap(old));
        file.flush();
        assertThat(read()).isEqualTo(old);
    }

    private TestVolume mount(long cache) throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(BLOCK, 0, 1 << 20, cache), Runnable::run, clock);
    }

    /** What the file reads as, without asking for its size: that would tell of changes elsewhere. */
    private static byte[] readAll(OpenFile from) throws IOException {
        byte[] bytes = new byte[4 * SIZE];
        int count = from.read(0, ByteBuffer.wrap(bytes));
        return Arrays.copyOf(bytes, count);
    }

    private byte[] read() throws IOException {
        return readAll(file);
    }

    @Test
    void readsDoNotAskTheMetadata() throws IOException {
        int before = engine.reads().get();
        for (int i = 0; i < 100; i++) {
            assertThat(file.read(i * 100, ByteBuffer.allocate(300))).isEqualTo(300);
        }
        assertThat(engine.reads()).hasValue(before);
    }

    // ---- changes here

    @Test
    void whatIsCutOffIsGone() throws IOException {
        file.truncate(BLOCK + 10);
        assertThat(read()).isEqualTo(Arrays.copyOf(old, BLOCK + 10));
        file.truncate(SIZE);
        assertThat(read()).isEqualTo(Arrays.copyOf(Arrays.copyOf(old, BLOCK + 10), SIZE));
    }

    @Test
    void whatIsOverwrittenIsNew() throws IOException {
        byte[] right = old.clone();
        for (int i = 0; i < 10; i++) {
            byte[] bytes = noise(1500, 100 + i);
            file.write(i * 1000, ByteBuffer.wrap(bytes));
            System.arraycopy(bytes, 0, right, i * 1000, bytes.length);
            assertThat(read()).isEqualTo(right);
            file.flush();
            assertThat(read()).isEqualTo(right);
        }
    }

    @Test
    void whatIsPunchedIsZero() throws IOException {
        file.zero(100, 2 * BLOCK, true);
        byte[] right = old.clone();
        Arrays.fill(right, 100, 100 + 2 * BLOCK, (byte) 0);
        assertThat(read()).isEqualTo(right);
        file.zero(SIZE, 500, false);
        assertThat(read()).isEqualTo(Arrays.copyOf(right, SIZE + 500));
    }

    @Test
    void whatIsSharedIsThere() throws IOException {
        try (var other = volume.vfs().create(Vfs.ROOT, Name.of("g"), 0644, Owner.ROOT)) {
            other.write(0, ByteBuffer.wrap(noise(2 * BLOCK, 2)));
            other.flush();
            other.copyTo(0, file, BLOCK, 2 * BLOCK);
            byte[] right = old.clone();
            System.arraycopy(noise(2 * BLOCK, 2), 0, right, BLOCK, 2 * BLOCK);
            assertThat(read()).isEqualTo(right);
        }
    }

    @Test
    void anotherHandleHereSeesItAtOnce() throws IOException {
        try (var second = volume.vfs().open(file.ino())) {
            assertThat(readAll(second)).isEqualTo(old);
            file.write(0, ByteBuffer.wrap(noise(SIZE, 3)));
            assertThat(readAll(second)).isEqualTo(noise(SIZE, 3));
            file.flush();
            assertThat(readAll(second)).isEqualTo(noise(SIZE, 3));
            file.truncate(0);
            assertThat(readAll(second)).isEmpty();
        }
    }

    @Test
    void aReadThatMeetsAChangeSeesOneStateOrTheOther() throws IOException {
        store.onGet(() -> file.truncate(10));
        assertThat(read()).isEqualTo(Arrays.copyOf(old, 10));
        file.write(0, ByteBuffer.wrap(old));
        file.flush();
        assertThat(read()).isEqualTo(old);
        store.onGet(() -> {
            file.write(0, ByteBuffer.wrap(noise(SIZE, 2)));
            file.flush();
            clock.advance(Duration.ofSeconds(20));
            volume.reclaim();
        });
        assertThat(read()).isIn(old, noise(SIZE, 2));
        assertThat(read()).isEqualTo(noise(SIZE, 2));
        store.onGet(() -> file.zero(0, SIZE, true));
        assertThat(read()).isIn(noise(SIZE, 2), new byte[SIZE]);
        assertThat(read()).isEqualTo(new byte[SIZE]);
        assertThat(store.done()).hasValue(3);
    }

    /** What the metadata said before a change must not be remembered after it, however late the answer comes. */
    @Test
    void anAnswerFromBeforeAChangeIsNotRemembered() throws IOException {
        file.truncate(SIZE);   // nothing is remembered now
        afterRead.then(() -> {
            file.write(0, ByteBuffer.wrap(noise(SIZE, 2)));
            file.flush();
        });
        assertThat(read()).isIn(old, noise(SIZE, 2));
        assertThat(afterRead.next()).as("it came to that").hasNullValue();
        assertThat(read()).isEqualTo(noise(SIZE, 2));
        file.truncate(SIZE);
        afterRead.then(() -> file.zero(0, SIZE, true));
        assertThat(read()).isIn(noise(SIZE, 2), new byte[SIZE]);
        assertThat(read()).isEqualTo(new byte[SIZE]);
    }

    // ---- changes elsewhere

    @ParameterizedTest
    @ValueSource(longs = {0, 1 << 20})
    void whatAnotherSessionWritesIsSeenWhenTheFileIsOpened(long cache) throws IOException {
        try (var elsewhere = mount(0); var here = mount(cache); var reader = here.vfs().open(file.ino())) {
            assertThat(readAll(reader)).isEqualTo(old);
            clock.advance(Duration.ofSeconds(5));
            overwrite(elsewhere, noise(SIZE, 2));
            clock.advance(Duration.ofSeconds(20));
            here.renew();
            volume.renew();
            assertThat(elsewhere.reclaim()).as("both have the file open").isZero();
            assertThat(readAll(reader)).isIn(old, noise(SIZE, 2));
            try (var again = here.vfs().open(file.ino())) {
                assertThat(readAll(again)).isEqualTo(noise(SIZE, 2));
                assertThat(readAll(reader)).isEqualTo(noise(SIZE, 2));
            }
        }
    }

    /** A read that takes two looks at the metadata, with another session's overwrite in between. */
    @Test
    void aLongReadIsOfOneVersion() throws IOException {
        byte[] before = noise(300 * BLOCK, 3);   // more extents than the metadata tells at once
        byte[] after = noise(300 * BLOCK, 4);
        file.write(0, ByteBuffer.wrap(before));
        file.flush();
        try (var elsewhere = mount(0)) {
            afterRead.then(() -> overwrite(elsewhere, after));
            var target = ByteBuffer.allocate(300 * BLOCK);
            assertThat(file.read(0, target)).isEqualTo(300 * BLOCK);
            assertThat(afterRead.next()).as("it came to that").hasNullValue();
            assertThat(target.array()).isIn(before, after);
        }
    }

    @Test
    void whatStatTellsIsWhatIsRead() throws IOException {
        try (var elsewhere = mount(0); var there = elsewhere.vfs().open(file.ino())) {
            there.write(SIZE, ByteBuffer.wrap(noise(100, 2)));
            there.flush();
            assertThat(volume.vfs().lookup(Vfs.ROOT, Name.of("f")).size()).isEqualTo(SIZE + 100);
            byte[] right = Arrays.copyOf(old, SIZE + 100);
            System.arraycopy(noise(100, 2), 0, right, SIZE, 100);
            assertThat(read()).isEqualTo(right);
            there.truncate(7);
            assertThat(file.attributes().size()).isEqualTo(7);
            assertThat(read()).isEqualTo(Arrays.copyOf(old, 7));
        }
    }

    /** A view that survived its last handle would name blocks that nobody keeps for us. */
    @Test
    void nothingIsRememberedAcrossCloseAndOverwrite() throws IOException {
        file.close();
        try (var elsewhere = mount(0)) {
            clock.advance(Duration.ofSeconds(5));
            overwrite(elsewhere, noise(SIZE, 2));
            clock.advance(Duration.ofSeconds(20));
            volume.renew();
            assertThat(elsewhere.reclaim()).isEqualTo(5);
        }
        try (var again = volume.vfs().open(file.ino())) {
            assertThat(readAll(again)).isEqualTo(noise(SIZE, 2));
        }
    }

    /** Asleep beyond its lease, blocks it remembers deleted: it finds what the file is now. */
    @Test
    void whoSleptTooLongReadsTheNewBytes() throws IOException {
        try (var elsewhere = mount(0)) {
            overwrite(elsewhere, noise(SIZE, 2));
            clock.advance(Duration.ofSeconds(61));
            elsewhere.renew();
            assertThat(elsewhere.superblock().sessions().fenceExpired()).hasSize(1);
            assertThat(elsewhere.reclaim()).isEqualTo(5);
            assertThat(read()).isEqualTo(noise(SIZE, 2));
        }
    }

    private void overwrite(TestVolume elsewhere, byte[] bytes) throws IOException {
        try (var there = elsewhere.vfs().open(file.ino())) {
            there.write(0, ByteBuffer.wrap(bytes));
        }
    }

    // ---- threads

    /**
     * Two threads write pages full of a number that grows, punch and truncate; others read. A page is of one piece,
     * never older than what was written before the read began, and zero only if it was punched or cut off.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, 24 << 10, 1 << 20})
    void readersNeverFallBehind(long cache) throws Exception {
        long seed = System.nanoTime();
        System.out.printf("remembered extents seed %d, cache %d%n", seed, cache);
        var engineOfThreads = new MemoryMetaEngine();
        var storeOfThreads = new MemoryBlockStore();
        try (var uploads = Executors.newFixedThreadPool(3);
                var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            var shared = TestVolume.open(engineOfThreads, storeOfThreads, new ChunkSettings(BLOCK, 0, 1 << 20, cache),
                    uploads, clock);
            var pages = new Pages(shared.vfs().create(Vfs.ROOT, Name.of("p"), 0644, Owner.ROOT));
            var writing = List.of(threads.submit(() -> pages.write(new Random(seed), 0)),
                    threads.submit(() -> pages.write(new Random(seed + 1), 1)));
            var reading = List.of(threads.submit(() -> pages.read(new Random(seed + 2))),
                    threads.submit(() -> pages.read(new Random(seed + 3))));
            for (var each : writing) {
                each.get();
            }
            pages.done.set(true);
            for (var each : reading) {
                each.get();
            }
            assertThat(pages.full.get()).isPositive();
            pages.file.close();
            shared.close();
        }
        assertThat(MetadataAudit.of(engineOfThreads).with(storeOfThreads).problems()).isEmpty();
    }

    private static final class Pages {
        private static final int COUNT = 8;
        private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 20_000 : 600;

        private final OpenFile file;
        // before the write it is what was, so at least that is read
        private final AtomicIntegerArray written = new AtomicIntegerArray(COUNT);
        // how often the page has become, or is about to become, zero
        private final AtomicIntegerArray zeroed = new AtomicIntegerArray(COUNT);
        // 1 if the page surely holds a number
        private final AtomicIntegerArray holds = new AtomicIntegerArray(COUNT);
        private final AtomicBoolean done = new AtomicBoolean();
        private final AtomicInteger full = new AtomicInteger();

        Pages(OpenFile file) {
            this.file = file;
        }

        /** Each writer has every second page. */
        Void write(Random random, int writer) throws IOException {
            for (int i = 1; i <= ROUNDS; i++) {
                int page = 2 * random.nextInt(COUNT / 2) + writer;
                if (random.nextInt(8) == 0) {
                    holds.set(page, 0);
                    zeroed.incrementAndGet(page);
                    file.zero((long) page * BLOCK, BLOCK, true);
                } else {
                    file.write((long) page * BLOCK, page(i));
                    written.set(page, i);
                    holds.set(page, 1);
                }
                if (random.nextInt(10) == 0) {
                    file.flush();
                }
            }
            return null;
        }

        private static ByteBuffer page(int number) {
            var page = ByteBuffer.allocate(BLOCK);
            while (page.hasRemaining()) {
                page.putInt(number);
            }
            return page.flip();
        }

        Void read(Random random) throws IOException {
            while (!done.get() || full.get() == 0) {   // the writers may be done before it begins
                int number = random.nextInt(COUNT);
                int zeros = zeroed.get(number);
                boolean surely = holds.get(number) == 1;
                int least = written.get(number);
                var page = ByteBuffer.allocateDirect(BLOCK);
                int count = copy(random, (long) number * BLOCK, page);
                int found = count == 0 ? 0 : page.getInt(0);
                for (int at = 0; at < count; at += 4) {
                    if (page.getInt(at) != found) {
                        throw new AssertionError("page %d is torn: %d and %d".formatted(number, found,
                                page.getInt(at)));
                    }
                }
                if (found == 0 && surely && zeroed.get(number) == zeros) {
                    throw new AssertionError("page %d, written, reads as a hole".formatted(number));
                }
                if (found != 0 && found < least && zeroed.get(number) == zeros) {
                    throw new AssertionError("page %d is %d, was %d before".formatted(number, found, least));
                }
                full.addAndGet(found == 0 ? 0 : 1);
            }
            return null;
        }

        private int copy(Random random, long offset, ByteBuffer page) throws IOException {
            try (var loan = random.nextBoolean() ? file.lend(offset, BLOCK) : null) {
                if (loan == null) {
                    return file.read(offset, page);
                }
                loan.pieces().forEach(page::put);
                return loan.length();
            }
        }
    }
}

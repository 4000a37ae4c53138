package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.disk.CompletedBlocks;
import volsh.chunk.ChunkSettings;
import volsh.codec.CorruptBlockException;
import volsh.fs.Loan;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;

/** Reads through the cache: the right bytes, and no more gets than there have to be. */
@OnPostgres
final class CachedReadTest {
    private static final int FRAME = 128 << 10;
    private static final int BLOCK = 1 << 20;
    private static final int SIZE = 3 * BLOCK + 5000;

    private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());
    private final Counting store = new Counting(new MemoryBlockStore(), new ConcurrentLinkedQueue<>());
    private final ManualClock clock = new ManualClock();
    private final byte[] bytes = noise(SIZE, 1);
    private TestVolume volume;

    private final EngineKind kind;

    CachedReadTest(EngineKind kind) {
        this.kind = kind;
    }

    /** Remembers what was asked of it. */
    private record Counting(BlockStore delegate, ConcurrentLinkedQueue<Integer> gets) implements Forwarding {
        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            gets.add(target.remaining());
            return delegate.get(key, offset, target);
        }
    }

    private OpenFile open(long cache, Executor uploads) throws IOException {
        return open(new ChunkSettings(BLOCK, 0, 8 << 20, cache), uploads);
    }

    private OpenFile openWithoutReadahead() throws IOException {
        return open(new ChunkSettings(BLOCK, 0, 8 << 20, 16 << 20, 0), Runnable::run);
    }

    private OpenFile open(ChunkSettings settings, Executor uploads) throws IOException {
        volume = TestVolume.open(kind.open(), store, settings, uploads, clock);
        var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT);
        file.write(0, ByteBuffer.wrap(bytes));
        file.flush();
        store.gets().clear();
        return file;
    }

    @AfterEach
    void close() throws IOException {
        volume.close();
        executor.shutdown();
    }

    private void assertReads(OpenFile file, long offset, int length) throws IOException {
        var target = ByteBuffer.allocateDirect(length);
        int count = file.read(offset, target);
        int right = Math.clamp(SIZE - offset, 0, length);
        assertThat(count).isEqualTo(right);
        byte[] found = new byte[count];
        target.flip().get(found);
        if (!Arrays.equals(found, Arrays.copyOfRange(bytes, (int) offset, (int) offset + right))) {
            throw new AssertionError("wrong bytes at %d, %d of them".formatted(offset, length));
        }
    }

    @Test
    void aSmallReadFetchesItsFrameOnce() throws IOException {
        try (var file = open(16 << 20, Runnable::run)) {
            assertReads(file, 5 * FRAME + 100, 4096);
            assertReads(file, 5 * FRAME + 90_000, 4096);
            assertReads(file, 5 * FRAME, FRAME);
            assertThat(store.gets()).singleElement()
                    .satisfies(length -> assertThat(length).isBetween(FRAME, FRAME + 100));
        }
    }

    @Test
    void missingFramesCloseToEachOtherAreFetchedTogether() throws IOException {
        try (var file = openWithoutReadahead()) {
            for (int frame : new int[] {2, 4, 6}) {
                assertReads(file, frame * FRAME + 10, 1);
            }
            store.gets().clear();
            assertReads(file, 0, BLOCK);
            assertThat(store.gets()).as("with the ones between that are here").singleElement()
                    .satisfies(length -> assertThat(length).isBetween(BLOCK, BLOCK + 1000));
            store.gets().clear();
            assertReads(file, 0, BLOCK);
            assertThat(store.gets()).isEmpty();
        }
    }

    @Test
    void whatIsHereIsNotFetchedAgainIfItIsMuch() throws IOException {
        try (var file = openWithoutReadahead()) {
            assertReads(file, FRAME, 5 * FRAME);
            store.gets().clear();
            assertReads(file, 0, BLOCK);
            assertThat(store.gets()).as("before and behind").hasSize(2);
            assertThat(store.gets().stream().mapToInt(Integer::intValue).sum()).isBetween(3 * FRAME, 3 * FRAME + 1000);
        }
    }

    @Test
    void withoutACacheEachReadIsOneGet() throws IOException {
        try (var file = open(0, Runnable::run)) {
            for (int i = 0; i < 3; i++) {
                assertReads(file, 0, BLOCK);
            }
            assertThat(store.gets()).hasSize(3);
        }
    }

    @Test
    void whatIsLentIsTheSame() throws IOException {
        try (var file = open(16 << 20, Runnable::run)) {
            for (long offset : new long[] {0, 4096, FRAME - 1, BLOCK - 10, SIZE - 10}) {
                try (var loan = file.lend(offset, 300_000)) {
                    var found = ByteBuffer.allocate(loan.length());
                    loan.pieces().forEach(found::put);
                    int end = (int) Math.min(SIZE, offset + 300_000);
                    assertThat(found.array()).isEqualTo(Arrays.copyOfRange(bytes, (int) offset, end));
                }
            }
            assertThat(file.lend(SIZE, 100)).isNull();
            file.write(50, ByteBuffer.wrap(new byte[10]));
            assertThat(file.lend(0, 100)).as("unwritten bytes lie above").isNull();
            try (var loan = file.lend(60, 100)) {
                assertThat(loan).as("whole windows may not be lent").isNull();
            }
        }
    }

    @Test
    void withoutACacheWhatIsLentIsTheSameAndComesBack() throws IOException {
        try (var file = open(0, Runnable::run)) {
            for (int i = 0; i < 200; i++) {
                long offset = new long[] {0, 4096, FRAME - 1, BLOCK - 10, BLOCK, SIZE - BLOCK}[i % 6];
                try (var loan = file.lend(offset, 600_000)) {
                    assertThat(loan).as("nothing is lent for ever").isNotNull();
                    var found = ByteBuffer.allocate(loan.length());
                    loan.pieces().forEach(found::put);
                    assertThat(found.array())
                            .isEqualTo(Arrays.copyOfRange(bytes, (int) offset, (int) offset + 600_000));
                }
            }
            assertThat(store.gets()).as("one get for each block").hasSize(200 + 33);
            assertThat(file.lend(0, 100_000)).as("too little").isNull();
        }
    }

    @Test
    void withoutACacheMuchIsNotLentAtTheSameTime() throws IOException {
        try (var file = open(0, Runnable::run)) {
            var loans = new ArrayList<Loan>();
            for (var loan = file.lend(0, BLOCK); loan != null && loans.size() < 1000; loan = file.lend(0, BLOCK)) {
                loans.add(loan);
            }
            assertThat(loans.size()).isBetween(1, 999);
            assertReads(file, 0, SIZE);   // there is memory left for those who only read
            loans.forEach(Loan::close);
            try (var loan = file.lend(0, BLOCK)) {
                assertThat(loan).isNotNull();
            }
        }
    }

    @Test
    void withoutACacheARottenFrameIsNotLent() throws IOException {
        try (var file = open(0, Runnable::run)) {
            var key = BlockKey.of(volume.vfs().content(file.ino(), 0, 1).extents().getFirst().block());
            var rotten = ByteBuffer.allocateDirect(2 << 20);
            store.delegate().get(key, 0, rotten);
            rotten.flip().put(300_000, (byte) ~rotten.get(300_000));
            store.delete(key);
            store.put(key, rotten);
            for (int i = 0; i < 100; i++) {
                assertThatThrownBy(() -> file.lend(0, BLOCK)).isInstanceOf(CorruptBlockException.class);
            }
            try (var loan = file.lend(3 * FRAME, 5 * FRAME)) {
                assertThat(loan).as("the frames beside it").isNotNull();
            }
        }
    }

    @Test
    void aRottenFrameIsNoticedAndNotKept() throws IOException {
        try (var file = open(16 << 20, Runnable::run)) {
            var key = BlockKey.of(volume.vfs().content(file.ino(), 0, 1).extents().getFirst().block());
            var rotten = ByteBuffer.allocateDirect(2 << 20);
            store.delegate().get(key, 0, rotten);
            rotten.flip().put(300_000, (byte) ~rotten.get(300_000));
            store.delete(key);
            store.put(key, rotten);
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> assertReads(file, 0, BLOCK)).isInstanceOf(CorruptBlockException.class);
                assertThatThrownBy(() -> file.lend(0, BLOCK)).isInstanceOf(CorruptBlockException.class);
                assertReads(file, 0, 2 * FRAME);
            }
        }
    }

    // ---- reading ahead

    @Test
    void whoReadsOnFindsTheNextFramesThere() throws IOException {
        try (var file = open(64 << 20, Runnable::run)) {
            for (int at = 0; at < SIZE; at += 64 << 10) {
                assertReads(file, at, 64 << 10);
            }
            assertThat(volume.caches().memory().prefetched()).isGreaterThan(10);
            long total = store.gets().stream().mapToLong(Integer::longValue).sum();
            assertThat(total).as("nothing is fetched twice").isLessThan(SIZE + 100_000);
        }
    }

    @Test
    void aLargeReadAtTheStartIsReadAheadAtOnce() throws IOException {
        try (var file = open(64 << 20, Runnable::run)) {
            assertReads(file, 0, 4096);
            assertThat(volume.caches().memory().prefetched()).as("behind a header").isZero();
            try (var again = volume.vfs().open(file.ino())) {
                assertReads(again, 0, FRAME);
                assertThat(volume.caches().memory().prefetched()).as("behind a large read").isPositive();
            }
        }
    }

    @Test
    void whoReadsHereAndThereCausesNoMore() throws IOException {
        try (var file = open(64 << 20, executor)) {
            for (int frame : new int[] {20, 3, 9}) {
                assertReads(file, frame * FRAME + 8192, 4096);
            }
            assertThat(store.gets()).hasSize(3).allSatisfy(length -> assertThat(length).isLessThan(FRAME + 100));
            assertThat(volume.caches().memory().prefetched()).isZero();
            assertThat(volume.caches().completed()).isEqualTo(CompletedBlocks.NOTHING);
        }
    }

    @Test
    void twoReadersOfOneFileAreTwoStreams() throws IOException {
        try (var file = open(64 << 20, Runnable::run)) {
            for (int i = 0; i < 8; i++) {
                assertReads(file, i * 32_768, 32_768);
                assertReads(file, BLOCK + BLOCK / 2 + i * 32_768, 32_768);
            }
            assertThat(volume.caches().memory().prefetched()).isGreaterThanOrEqualTo(8);
            assertThat(volume.caches().memory().misses()).isLessThanOrEqualTo(4);
        }
    }

    // ---- many at a time

    /** Readers and a cache of a few frames: everything they copy or borrow is right. */
    @Test
    void everybodyReadsTheRightBytesWhileFramesComeAndGo() throws Exception {
        long seed = System.nanoTime();
        System.out.println("cached read seed " + seed);
        try (var file = open(2 << 20, executor);
                var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            List<Future<?>> readers = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                var random = new Random(seed + thread);
                readers.add(threads.submit(() -> {
                    for (int i = 0; i < 150; i++) {
                        read(file, random);
                    }
                    return null;
                }));
            }
            for (var reader : readers) {
                reader.get();
            }
            assertThat(volume.caches().memory().evictions()).isPositive();
            assertThat(volume.caches().memory().hits()).isPositive();
        }
    }

    private void read(OpenFile file, Random random) throws IOException {
        long offset = random.nextInt(SIZE);
        int length = 1 + random.nextInt(random.nextBoolean() ? 5000 : 400_000);
        if (random.nextBoolean()) {
            assertReads(file, offset, length);
            return;
        }
        try (var loan = file.lend(offset, length)) {
            if (loan != null) {
                var found = ByteBuffer.allocate(loan.length());
                loan.pieces().forEach(found::put);
                if (!Arrays.equals(found.array(),
                        Arrays.copyOfRange(bytes, (int) offset, (int) offset + loan.length()))) {
                    throw new AssertionError("wrong bytes lent at %d, %d of them".formatted(offset, length));
                }
            }
        }
    }
}

package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.BlockIo;
import volsh.chunk.ChunkSettings;
import volsh.chunk.Chunks;
import volsh.codec.Compression;
import volsh.engine.Race;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.inventory.Superblock;
import volsh.meta.MetadataAudit;
import volsh.meta.Namespace;

/** Threads, little memory and a slow store: everybody gets through, and every byte is right. */
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)   // a deadlock, nothing else
@Tag("wait")
final class PressureTest {
    private static final int BLOCK = 16 << 10;
    private static final int PAGE = 4096;

    private final MemoryMetaEngine engine = new MemoryMetaEngine();
    private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());
    private BlockStore store = new MemoryBlockStore();
    private Chunks chunks;
    private Vfs vfs;

    /** Takes its time, and fails now and then if {@code failures}. */
    private record Moody(BlockStore delegate, AtomicLong calls, int failEvery) implements Forwarding {
        @Override
        public void put(BlockKey key, ByteBuffer data) throws IOException {
            long call = calls.incrementAndGet();
            LockSupport.parkNanos(50_000 * (call % 7));
            if (failEvery > 0 && call % failEvery == 0) {
                throw new IOException("no store just now");
            }
            delegate.put(key, data);
        }
    }

    private void open(int inline, long bufferBytes, int failEvery) throws IOException {
        open(inline, bufferBytes, failEvery, executor);
    }

    private void open(int inline, long bufferBytes, int failEvery, Executor uploads) throws IOException {
        var clock = InstantSource.system();
        store = new Moody(store, new AtomicLong(), failEvery);
        var superblock = new Superblock(engine, clock);
        superblock.format(Owner.ROOT, 0755, "made", new byte[0]);
        var names = new Namespace(engine, clock, superblock.sessions().open("test", 1, "test").id());
        var blocks = new BlockIo(new UUID(1, 2), store, Compression.None::new, 1 << 20);
        chunks = new Chunks(names.files(), blocks, new ChunkSettings(BLOCK, inline, bufferBytes), uploads, clock);
        vfs = new Vfs(names, chunks, engine::sync);
    }

    @AfterEach
    void allIsWell() throws IOException {
        assertThat(chunks.bufferedBytes()).as("memory given back").isZero();
        assertThat(MetadataAudit.of(engine).withNeeded(store).problems()).isEmpty();
        vfs.close();
        executor.shutdown();
    }

    private OpenFile create(String name) throws IOException {
        return vfs.create(Vfs.ROOT, Name.of(name), 0644, Owner.ROOT);
    }

    private static byte[] load(OpenFile file) throws IOException {
        byte[] bytes = new byte[(int) file.attributes().size()];
        assertThat(file.read(0, ByteBuffer.wrap(bytes))).isEqualTo(bytes.length);
        return bytes;
    }

    /** Six writers of two files each, with memory for three windows in all. */
    @Test
    void writersThatOutrunTheStoreWait() throws Exception {
        long budget = 3 * 20_480;
        open(0, budget, 0);
        var most = new AtomicLong();
        Race.of(6, 1, (thread, round) -> {
            var random = new Random(thread);
            try (var first = create("a" + thread); var second = create("b" + thread)) {
                byte[] right = new byte[20 * BLOCK];
                for (int i = 0; i < 250; i++) {
                    int at = random.nextInt(right.length - 3000);
                    byte[] piece = PosixContract.noise(1 + random.nextInt(3000), i);
                    System.arraycopy(piece, 0, right, at, piece.length);
                    first.write(at, ByteBuffer.wrap(piece));
                    second.write(at, ByteBuffer.wrap(piece));
                    most.accumulateAndGet(chunks.bufferedBytes(), Math::max);
                }
                byte[] expected = Arrays.copyOf(right, (int) first.attributes().size());
                assertThat(Arrays.mismatch(load(first), expected)).isEqualTo(-1);
                second.flush();
                assertThat(Arrays.mismatch(load(second), expected)).isEqualTo(-1);
            }
        });
        assertThat(most.get()).isBetween(1L, budget);
    }

    /** The same while uploads fail: writers see errors, try again, and no byte is lost or old. */
    @Test
    void failingUploadsUnderPressure() throws Exception {
        open(0, 4 * 20_480, 5);
        var errors = new AtomicInteger();
        Race.of(4, 1, (thread, round) -> {
            var random = new Random(thread);
            try (var file = create("f" + thread)) {
                byte[] right = new byte[8 * BLOCK];
                for (int i = 0; i < 200; i++) {
                    int at = random.nextInt(8) * BLOCK + random.nextInt(2) * 1000;
                    byte[] piece = PosixContract.noise(random.nextBoolean() ? BLOCK : 500, i);
                    int length = Math.min(piece.length, right.length - at);
                    retried(errors, () -> file.write(at, ByteBuffer.wrap(piece, 0, length)));
                    System.arraycopy(piece, 0, right, at, length);
                    if (i % 20 == 0) {
                        retried(errors, file::flush);
                    }
                }
                byte[] expected = Arrays.copyOf(right, (int) file.attributes().size());
                assertThat(Arrays.mismatch(load(file), expected)).isEqualTo(-1);
                retried(errors, file::flush);
                assertThat(Arrays.mismatch(load(file), expected)).isEqualTo(-1);
            }
        });
        assertThat(errors.get()).as("errors met").isPositive();
    }

    /** Uploads that are begun in the wrong order, by a single thread: the second goes on when the first is done. */
    @Test
    void uploadsMayBeginInAnyOrder() throws Exception {
        var tasks = new ArrayDeque<Runnable>();
        open(0, 8 * 20_480, 0, tasks::addFirst);
        try (var file = create("f")) {
            for (int value = 1; value < 5; value++) {
                file.write(0, ByteBuffer.wrap(filled(BLOCK, value)));
            }
            assertThat(tasks).hasSize(4);
            while (!tasks.isEmpty()) {
                tasks.removeFirst().run();
                assertThat(load(file)).containsOnly(4);
            }
            file.flush();
            assertThat(load(file)).containsOnly(4);
        }
    }

    private interface Act {
        void run() throws IOException;
    }

    private static void retried(AtomicInteger errors, Act act) throws IOException {
        for (int attempt = 0; ; attempt++) {
            try {
                act.run();
                return;
            } catch (IOException failed) {
                errors.incrementAndGet();
                if (attempt > 200) {
                    throw failed;
                }
            }
        }
    }

    /**
     * Writers raise the number a page is full of; readers never see a page that is older than one whose write had
     * returned before they asked, nor one of two numbers, nor a hole; while all is flushed over and over.
     */
    @Test
    void readersSeeWholePagesAndNeverOldOnes() throws Exception {
        open(0, 8 * 20_480, 0);
        int pages = 12;
        var written = new AtomicIntegerArray(pages);
        var over = new AtomicBoolean();
        try (var file = create("f")) {
            file.write(0, ByteBuffer.wrap(filled(pages * PAGE, 1)));
            for (int i = 0; i < pages; i++) {
                written.set(i, 1);
            }
            Race.of(5, 1, (thread, round) -> {
                var random = new Random(thread);
                if (thread < 2) {
                    for (int value = 2; value < 100; value++) {
                        int page = random.nextInt(pages / 2) * 2 + thread;
                        file.write((long) page * PAGE, ByteBuffer.wrap(filled(PAGE, value)));
                        written.set(page, value);
                    }
                    over.set(true);
                } else if (thread == 2) {
                    while (!over.get()) {
                        file.flush();
                    }
                } else {
                    while (!over.get()) {
                        check(file, random.nextInt(pages), written);
                    }
                }
            });
        }
    }

    private static void check(OpenFile file, int page, AtomicIntegerArray written) throws IOException {
        int atLeast = written.get(page);
        byte[] bytes = new byte[PAGE];
        assertThat(file.read((long) page * PAGE, ByteBuffer.wrap(bytes))).isEqualTo(PAGE);
        for (byte b : bytes) {
            if (b != bytes[0] || b < atLeast) {
                throw new AssertionError("page %d: %d beside %d, %d was written before"
                        .formatted(page, b, bytes[0], atLeast));
            }
        }
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    /** The size that stat tells never goes back while a file is appended to and flushed. */
    @Test
    void sizesOnlyGrow() throws Exception {
        open(PAGE, 8 * 20_480, 0);
        var over = new AtomicBoolean();
        var end = new AtomicLong();
        try (var file = create("f")) {
            Race.of(4, 1, (thread, round) -> {
                if (thread == 0) {
                    for (int i = 0; i < 1500; i++) {
                        file.write(end.get(), ByteBuffer.wrap(filled(77, 1)));
                        end.addAndGet(77);
                    }
                    over.set(true);
                } else if (thread == 1) {
                    while (!over.get()) {
                        file.flush();
                    }
                } else {
                    while (!over.get()) {
                        long atLeast = end.get();
                        assertThat(file.attributes().size()).isGreaterThanOrEqualTo(atLeast);
                        assertThat(vfs.lookup(Vfs.ROOT, Name.of("f")).size()).isGreaterThanOrEqualTo(atLeast);
                        assertThat(vfs.attributes(vfs.list(Vfs.ROOT, null, 5)).getFirst().size())
                                .isGreaterThanOrEqualTo(atLeast);
                    }
                }
            });
        }
    }

    /** A small file grows out of its inline row under the hands of several threads, again and again. */
    @Test
    void promotionUnderManyHands() throws Exception {
        open(PAGE, 16 * 20_480, 0);
        for (int round = 0; round < 30; round++) {
            try (var file = create("f" + round)) {
                List<byte[]> pieces = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    pieces.add(PosixContract.noise(i < 2 ? 900 : BLOCK, round * 4L + i));
                }
                int[] offsets = {0, 1000, BLOCK, 3 * BLOCK};
                Race.of(4, 1, (thread, lap) -> {
                    file.write(offsets[thread], ByteBuffer.wrap(pieces.get(thread)));
                    file.flush();
                });
                byte[] found = load(file);
                for (int i = 0; i < 4; i++) {
                    assertThat(Arrays.copyOfRange(found, offsets[i], offsets[i] + pieces.get(i).length))
                            .isEqualTo(pieces.get(i));
                }
            }
        }
    }

    /** Truncations among writes and flushes: what lies behind the end is gone for good. */
    @Test
    void truncationsAmongWritesAndFlushes() throws Exception {
        open(0, 8 * 20_480, 0);
        try (var file = create("f")) {
            Race.of(4, 150, (thread, round) -> {
                switch (thread) {
                    case 0 -> {
                        file.truncate(round % 5 * 3000L);
                        file.truncate(4 * BLOCK);
                    }
                    case 1 -> file.flush();
                    case 2 -> file.write((round % 7) * 5000L, ByteBuffer.wrap(filled(6000, 7)));
                    default -> {
                        for (byte b : load(file, 4 * BLOCK)) {
                            assertThat(b == 0 || b == 7).isTrue();
                        }
                    }
                }
            });
            file.truncate(0);
            file.truncate(4 * BLOCK);
            assertThat(load(file)).containsOnly(0);
            file.flush();
            assertThat(load(file)).containsOnly(0);
        }
    }

    private static byte[] load(OpenFile file, int length) throws IOException {
        byte[] bytes = new byte[length];
        return Arrays.copyOf(bytes, file.read(0, ByteBuffer.wrap(bytes)));
    }
}

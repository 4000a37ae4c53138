package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.MemoryCache;
import volsh.cache.disk.DiskTier;
import volsh.chunk.BlockIo;
import volsh.chunk.ChunkSettings;
import volsh.chunk.Chunks;
import volsh.codec.Compression;
import volsh.engine.MetaEngine;
import volsh.engine.Race;
import volsh.fs.Extent;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.meta.EngineKind;
import volsh.meta.Intrusion;
import volsh.meta.MetadataAudit;
import volsh.meta.OnEveryEngine;

/**
 * Extents that became many are merged in the background; nobody can tell but by their number, whatever comes in
 * between.
 */
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)   // a deadlock, nothing else
@OnEveryEngine
final class MergeTest {
    private static final int BLOCK = 1 << 20;
    private static final int PAGE = 4096;
    private static final int MOST = 32;
    /** Looked at when half as many writes have come; each of them may make two. */
    private static final int BOUND = 2 * MOST;

    private final Intrusion intrusion = new Intrusion();
    private final EngineKind kind;
    private final MetaEngine engine;
    private final Interrupting store = new Interrupting(new MemoryBlockStore());
    private final ManualClock clock = new ManualClock();
    private final ArrayDeque<Runnable> background = new ArrayDeque<>();
    private TestVolume volume;

    MergeTest(EngineKind kind) throws IOException {
        this.kind = kind;
        engine = kind.open(intrusion);
        volume = mount();
    }

    private TestVolume mount() throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(BLOCK, 0, 8L << 20), Runnable::run, clock,
                new MemoryCache(0, 1), DiskTier.NONE, new TestVolume.Background(store, background::add));
    }

    @AfterEach
    void rowsAgree() throws IOException {
        assertThat(MetadataAudit.of(engine).with(store).problems()).isEmpty();
    }

    private OpenFile create() throws IOException {
        return volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT);
    }

    private static void write(OpenFile file, byte[] bytes, long at) throws IOException {
        file.write(at, ByteBuffer.wrap(bytes));
        file.flush();
    }

    private static byte[] load(OpenFile file) throws IOException {
        byte[] bytes = new byte[(int) file.attributes().size()];
        assertThat(file.read(0, ByteBuffer.wrap(bytes))).isEqualTo(bytes.length);
        return bytes;
    }

    private List<Extent> extents(long ino) throws IOException {
        return volume.vfs().content(ino, 0, Long.MAX_VALUE - 1).extents();
    }

    private void runBackground() {
        while (!background.isEmpty()) {
            background.removeFirst().run();
        }
    }

    /**
     * A file of one block, every second page of its first half written again, each with a block of its own; nothing
     * merged yet.
     */
    private byte[] crowd(OpenFile file) throws IOException {
        byte[] right = noise(BLOCK, 1);
        write(file, right, 0);
        for (int page = 1; page < 128; page += 2) {
            byte[] bytes = noise(PAGE, page);
            System.arraycopy(bytes, 0, right, page * PAGE, PAGE);
            write(file, bytes, (long) page * PAGE);
        }
        assertThat(extents(file.ino())).hasSize(128 + 1);
        assertThat(background).isNotEmpty();
        return right;
    }

    // ---- few extents

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void randomOverwritesEndWithABoundedNumberOfExtents(boolean closing) throws IOException {
        var random = new Random(7);
        var file = create();
        byte[] right = noise(3 * BLOCK, 1);
        write(file, right, 0);
        int most = 0;
        int writes = kind.steps(900);
        for (int i = 0; i < writes; i++) {
            int at = random.nextInt(3 * BLOCK / PAGE) * PAGE;
            byte[] bytes = noise(PAGE, i);
            System.arraycopy(bytes, 0, right, at, PAGE);
            write(file, bytes, at);
            if (closing) {
                file.close();
                file = volume.vfs().open(file.ino());
            }
            runBackground();
            most = Math.max(most, extents(file.ino()).size());
        }
        assertThat(Arrays.mismatch(load(file), right)).isEqualTo(-1);
        assertThat(most).isBetween(MOST, 3 * (BOUND + 1));
        assertThat(volume.vfs().merging().rewrites().merges()).isPositive();
        file.close();
        clock.advance(Duration.ofSeconds(5));
        volume.reclaim();
        assertThat(volume.blocks()).isEqualTo(extents(file.ino()).stream().map(Extent::block).distinct().count());
    }

    /** Files that were crowded by somebody who is gone are noticed by who reads them. */
    @Test
    void aReaderFindsWhatOthersLeft() throws IOException {
        var file = create();
        byte[] right = crowd(file);
        file.close();
        background.clear();
        volume.close();
        volume = mount();
        try (var again = volume.vfs().open(file.ino())) {
            assertThat(load(again)).isEqualTo(right);
            runBackground();
            assertThat(extents(again.ino())).hasSizeLessThanOrEqualTo(MOST);
            assertThat(load(again)).isEqualTo(right);
        }
    }

    @Test
    void timesAndSizeStay() throws IOException {
        try (var file = create()) {
            crowd(file);
            var before = file.attributes();
            clock.advance(Duration.ofSeconds(100));
            runBackground();
            var after = file.attributes();
            assertThat(extents(file.ino())).hasSizeLessThanOrEqualTo(MOST);
            assertThat(List.of(after.size(), after.allocated(), after.mtime(), after.ctime()))
                    .isEqualTo(List.of(before.size(), before.allocated(), before.mtime(), before.ctime()));
            assertThat(file.versionBehind(before.version())).as("who cached the file may keep it")
                    .isEqualTo(after.version());
        }
    }

    /** Many extents with holes between them: nothing to join, and nothing is tried for ever. */
    @Test
    void holesStayHoles() throws IOException {
        try (var file = create()) {
            for (int page = 1; page < 200; page += 2) {
                write(file, noise(PAGE, page), (long) page * PAGE);
            }
            runBackground();
            assertThat(extents(file.ino())).hasSize(100);
            assertThat(volume.vfs().merging().rewrites().merges()).isZero();
            for (int page = 2; page < 80; page += 2) {
                write(file, noise(PAGE, page), (long) page * PAGE);
            }
            runBackground();
            assertThat(extents(file.ino())).hasSizeBetween(60, 60 + MOST);
            assertThat(file.seekData(0)).isEqualTo(PAGE);
            assertThat(file.seekHole(100 * PAGE)).isEqualTo(100 * PAGE);
            assertThat(file.attributes().allocated()).isEqualTo(139 * PAGE);
        }
    }

    /** What is large and at an end is not stored again for each few small ones. */
    @Test
    void aLargeExtentStaysWhileSmallOnesGatherBehindIt() throws IOException {
        volume = TestVolume.open(engine, store, new ChunkSettings(BLOCK, 0, 8L << 20).withTail(0), Runnable::run, clock,
                new MemoryCache(0, 1), DiskTier.NONE, new TestVolume.Background(store, background::add));
        try (var file = create()) {
            byte[] right = noise(500_000 + 100 * Math.max(300, kind.steps(1000)), 1);
            write(file, Arrays.copyOf(right, 500_000), 0);
            long large = extents(file.ino()).getFirst().block();
            for (int at = 500_000; at < right.length; at += 100) {
                write(file, Arrays.copyOfRange(right, at, at + 100), at);
                runBackground();
            }
            assertThat(extents(file.ino())).hasSizeLessThanOrEqualTo(BOUND);
            assertThat(extents(file.ino()).getFirst().block()).isEqualTo(large);
            assertThat(load(file)).isEqualTo(right);
        }
    }

    @Test
    void blocksOfClonesStay() throws IOException {
        try (var file = create(); var copy = volume.vfs().create(Vfs.ROOT, Name.of("copy"), 0644, Owner.ROOT)) {
            byte[] right = crowd(file);
            file.copyTo(0, copy, 0, right.length);
            runBackground();
            assertThat(extents(file.ino())).hasSizeLessThanOrEqualTo(MOST);
            assertThat(extents(copy.ino())).hasSize(129);
            clock.advance(Duration.ofSeconds(5));
            volume.reclaim();
            assertThat(load(file)).isEqualTo(right);
            assertThat(load(copy)).isEqualTo(right);
        }
    }

    // ---- what comes in between

    private enum Moment { READ, STORE, COMMIT }

    private interface Intruder {
        void on(OpenFile file, OpenFile there) throws IOException;
    }

    /**
     * This happens to the file while it is merged; then it reads as {@code right}, which is what it was before,
     * changed.
     */
    private void meets(Moment moment, Intruder intruder, Intruder expected) throws IOException {
        var other = mount();
        try (var file = create(); var there = other.vfs().open(file.ino());
                var model = volume.vfs().create(Vfs.ROOT, Name.of("model"), 0644, Owner.ROOT)) {
            byte[] bytes = crowd(file);
            write(model, bytes, 0);
            Interrupting.Act act = () -> intruder.on(file, there);
            switch (moment) {
                case READ -> store.onGet(act);
                case STORE -> store.onPut(act);
                case COMMIT -> intrusion.before(act::run);
            }
            runBackground();
            assertThat(store.done().get() + intrusion.done()).isEqualTo(1);
            expected.on(model, model);
            there.attributes();
            byte[] right = load(model);
            assertThat(Arrays.mismatch(load(file), right)).isEqualTo(-1);
            assertThat(Arrays.mismatch(load(there), right)).isEqualTo(-1);
            assertThat(volume.vfs().merging().rewrites().merges()).isPositive();
        }
    }

    private void meets(Moment moment, Intruder intruder) throws IOException {
        meets(moment, intruder, intruder);
    }

    @ParameterizedTest
    @EnumSource
    void overwritten(Moment moment) throws IOException {
        meets(moment, (file, there) -> write(file, noise(5000, 9), 10_000));
    }

    @ParameterizedTest
    @EnumSource
    void overwrittenByAnotherSession(Moment moment) throws IOException {
        meets(moment, (file, there) -> write(there, noise(100_000, 9), 10_000));
    }

    @ParameterizedTest
    @EnumSource
    void truncatedAndExtended(Moment moment) throws IOException {
        meets(moment, (file, there) -> {
            file.truncate(50_000);
            file.truncate(100_000);
        });
    }

    @ParameterizedTest
    @EnumSource
    void punchedByAnotherSession(Moment moment) throws IOException {
        meets(moment, (file, there) -> there.zero(6000, 50_000, true));
    }

    @ParameterizedTest
    @EnumSource
    void clonedOntoItself(Moment moment) throws IOException {
        meets(moment, (file, there) -> there.copyTo(0, there, 300_000, 100_000));
    }

    /** All of it is replaced: the new block is of no use, and is not left behind. */
    @ParameterizedTest
    @EnumSource
    void replacedAltogether(Moment moment) throws IOException {
        var other = mount();
        try (var file = create()) {
            crowd(file);
            Interrupting.Act act = () -> {
                try (var there = other.vfs().open(file.ino())) {
                    write(there, noise(BLOCK, 5), 0);
                }
            };
            switch (moment) {
                case READ -> store.onGet(act);
                case STORE -> store.onPut(act);
                case COMMIT -> intrusion.before(act::run);
            }
            runBackground();
            assertThat(volume.vfs().merging().rewrites().merges()).isZero();
            assertThat(load(file)).isEqualTo(noise(BLOCK, 5));
        }
        clock.advance(Duration.ofSeconds(5));
        volume.renew();
        other.reclaim();
        assertThat(volume.blocks()).isEqualTo(1);
    }

    @Test
    void unlinkedMeanwhile() throws IOException {
        var file = create();
        crowd(file);
        store.onGet(() -> {
            file.close();
            volume.vfs().unlink(Vfs.ROOT, Name.of("f"));
            clock.advance(Duration.ofSeconds(20));
            volume.reclaim();
        });
        runBackground();
        assertThat(volume.vfs().merging().rewrites().merges()).as("its blocks waited").isPositive();
        for (int round = 0; round < 2; round++) {
            clock.advance(Duration.ofSeconds(5));
            volume.reclaim();
        }
        assertThat(volume.blocks()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStoreThatFailsIsNobodysTrouble(boolean put) throws IOException {
        try (var file = create()) {
            byte[] right = crowd(file);
            Interrupting.Act fail = () -> {
                throw new IOException("no store today");
            };
            if (put) {
                store.onPut(fail);
            } else {
                store.onGet(fail);
            }
            runBackground();
            assertThat(volume.vfs().merging().rewrites().merges()).isZero();
            for (int read = 0; read < 2; read++) {   // a reader finds it again; the first time that does not count
                assertThat(background).isEmpty();
                assertThat(load(file)).isEqualTo(right);
                file.truncate(BLOCK);   // what is remembered of it is forgotten
            }
            runBackground();
            assertThat(volume.vfs().merging().rewrites().merges()).isPositive();
            assertThat(load(file)).isEqualTo(right);
        }
    }

    /** The end of a volume stops a merge between two of its steps. */
    @Test
    void closedMeanwhile() throws Exception {
        var file = create();
        byte[] right = crowd(file);
        file.close();
        var closing = new AtomicInteger();
        var thread = Thread.ofPlatform().unstarted(() -> {
            try {
                closing.set(1);
                volume.vfs().close();
                closing.set(2);
            } catch (IOException failed) {
                closing.set(3);
            }
        });
        store.onGet(() -> {
            thread.start();
            Eventually.holds("it waits", () -> thread.getState() == Thread.State.WAITING);
            assertThat(closing).as("it waits for us").hasValue(1);
        });
        int gets = store.gets().get();
        runBackground();
        thread.join();
        assertThat(closing).hasValue(2);
        assertThat(store.gets().get() - gets).isEqualTo(1);
        try (var again = mount().vfs().open(file.ino())) {
            assertThat(load(again)).isEqualTo(right);
        }
    }

    /**
     * Negative control: without the check of the extents that are replaced, what was written meanwhile would be lost.
     */
    @Test
    void aMissingCheckWouldBeNoticed() throws IOException {
        var blocks = new BlockIo(new UUID(1, 2), store, Compression.None::new, 8 << 20);
        var chunks = new Chunks(new CarelessTable(volume.names().files()), blocks, new ChunkSettings(BLOCK, 0, 8 << 20),
                Runnable::run, clock);
        var careless = new Vfs(volume.names(), chunks, engine::sync, background::add);
        try (var file = careless.create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
            byte[] before = crowd(file);
            store.onPut(() -> write(file, noise(PAGE, 9), PAGE));
            runBackground();
            assertThat(Arrays.mismatch(load(file), before)).as("the write is gone").isEqualTo(-1);
        }
    }

    // ---- many at once

    /**
     * Writers and readers of pages, truncates, clones and merges in threads of their own: every page is whole and new.
     */
    @Test
    void amongThreads() throws Exception {
        try (var threads = Executors.newFixedThreadPool(4); var merger = Executors.newSingleThreadExecutor()) {
            var shared = TestVolume.open(engine, store, new ChunkSettings(64 << 10, 0, 4 << 20, 1 << 20), threads,
                    clock, new MemoryCache(1 << 20, 64 << 10), DiskTier.NONE, new TestVolume.Background(store, merger));
            try (var file = shared.vfs().create(Vfs.ROOT, Name.of("threads"), 0644, Owner.ROOT)) {
                int pages = 64;
                write(file, new byte[pages * PAGE], 0);
                Race.of(4, 1, (thread, round) -> {
                    var random = new Random(thread);
                    for (int i = 1; i < Math.max(40, kind.steps(120)); i++) {
                        int page = random.nextInt(pages / 4) * 4 + thread;   // pages of one's own
                        byte[] bytes = new byte[PAGE];
                        Arrays.fill(bytes, (byte) i);
                        write(file, bytes, (long) page * PAGE);
                        byte[] found = new byte[PAGE];
                        assertThat(file.read((long) page * PAGE, ByteBuffer.wrap(found))).isEqualTo(PAGE);
                        assertThat(found).isEqualTo(bytes);
                    }
                });
            }
            assertThat(shared.vfs().merging().rewrites().merges()).isPositive();
            shared.close();
        }
    }
}

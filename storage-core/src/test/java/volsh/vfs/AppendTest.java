package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.BlockIo;
import volsh.chunk.ChunkSettings;
import volsh.chunk.Chunks;
import volsh.codec.Compression;
import volsh.fs.Extent;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.Intrusion;
import volsh.meta.MetadataAudit;
import volsh.meta.OnEveryEngine;

/**
 * Files that grow in small steps, each flushed: they stay in few extents, and every byte is right, whatever comes in
 * between.
 */
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)   // a deadlock, nothing else
@OnEveryEngine
final class AppendTest {
    private static final int BLOCK = 64 << 10;

    private final Intrusion intrusion = new Intrusion();
    private final EngineKind kind;
    private final AfterRead engine;
    private final Interrupting store = new Interrupting(new MemoryBlockStore());
    private final ManualClock clock = new ManualClock();
    private TestVolume volume;

    AppendTest(EngineKind kind) throws IOException {
        this.kind = kind;
        engine = new AfterRead(kind.open(intrusion));
    }

    private TestVolume mount(ChunkSettings settings) throws IOException {
        return TestVolume.open(engine, store, settings, Runnable::run, clock);
    }

    private OpenFile open() throws IOException {
        volume = mount(new ChunkSettings(BLOCK, 0, 4 << 20));
        return volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT);
    }

    @AfterEach
    void rowsAgree() throws IOException {
        assertThat(MetadataAudit.of(engine).withNeeded(store).problems()).isEmpty();
    }

    private static byte[] load(OpenFile file) throws IOException {
        byte[] bytes = new byte[(int) file.attributes().size()];
        assertThat(file.read(0, ByteBuffer.wrap(bytes))).isEqualTo(bytes.length);
        return bytes;
    }

    private static byte[] load(TestVolume from, long ino) throws IOException {
        try (var file = from.vfs().open(ino)) {
            return load(file);
        }
    }

    private List<Extent> extents(long ino) throws IOException {
        return volume.vfs().content(ino, 0, Long.MAX_VALUE - 1).extents();
    }

    private static void append(OpenFile file, byte[] bytes) throws IOException {
        file.write(file.attributes().size(), ByteBuffer.wrap(bytes));
        file.flush();
    }

    private static byte[] joined(byte[]... parts) {
        var all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }

    // ---- few extents

    @ParameterizedTest
    @CsvSource({"4096, 0, 0", "4096, 700, 32768", "65536, 0, 1048576", "65536, 4096, 0", "1048576, 4096, 1048576"})
    void aLogInSmallPiecesHasFewExtents(int blockSize, int inline, int cache) throws IOException {
        volume = mount(new ChunkSettings(blockSize, inline, 20L * blockSize, cache));
        long ino;
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of("log"), 0644, Owner.ROOT)) {
            ino = file.ino();
        }
        var random = new Random(blockSize + inline);
        byte[] right = new byte[0];
        int lines = Math.max(100, kind.steps(400));
        for (int i = 0; i < lines; i++) {
            byte[] line = noise(1 + random.nextInt(300), i);
            right = joined(right, line);
            try (var file = volume.vfs().open(ino)) {
                file.write(file.attributes().size(), ByteBuffer.wrap(line));
            }
        }
        assertThat(load(volume, ino)).isEqualTo(right);
        int windows = (right.length + blockSize - 1) / blockSize;
        assertThat(extents(ino)).hasSizeLessThanOrEqualTo(windows + (inline > 0 ? 1 : 0));
        assertThat(volume.vfs().merging().rewrites().tails()).isGreaterThan(lines / 2);
        clock.advance(Duration.ofSeconds(5));
        volume.reclaim();
        assertThat(volume.blocks()).as("what was taken over is given back").isEqualTo(extents(ino).size());
        assertThat(volume.audit()).isEmpty();
    }

    /** As a kernel writes back: whole pages, the bytes of the last one again. */
    @Test
    void piecesThatOverlapTheEnd() throws IOException {
        try (var file = open()) {
            byte[] right = noise(50 * 200, 1);
            for (int end = 200; end <= right.length; end += 200) {
                int from = (end - 200) / 4096 * 4096;
                file.write(from, ByteBuffer.wrap(right, from, end - from));
                file.flush();
            }
            assertThat(load(file)).isEqualTo(right);
            assertThat(extents(file.ino())).hasSize(1);
        }
    }

    @Test
    void aFileWrittenFromFrontToBackCostsNothingMore() throws IOException {
        var file = open();
        var reads = new AtomicInteger();
        engine.then(reads::incrementAndGet);
        file.write(0, ByteBuffer.wrap(noise(3 * BLOCK + 1000, 1)));
        file.close();
        assertThat(reads).as("reads of the metadata").hasValue(0);
        assertThat(volume.vfs().merging().rewrites().tails()).isZero();
        assertThat(store.gets()).hasValue(0);
        assertThat(extents(file.ino())).hasSize(4);
    }

    @Test
    void aLargeTailIsLeftWhereItIs() throws IOException {
        volume = mount(new ChunkSettings(1 << 20, 0, 8 << 20));
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
            append(file, noise(ChunkSettings.TAIL, 1));
            append(file, noise(100, 2));
            append(file, noise(100, 3));
            assertThat(extents(file.ino())).hasSize(2);
            assertThat(load(file)).isEqualTo(joined(noise(ChunkSettings.TAIL, 1), noise(100, 2), noise(100, 3)));
        }
    }

    @Test
    void notIfItIsNotWanted() throws IOException {
        volume = mount(new ChunkSettings(BLOCK, 0, 4 << 20).withTail(0));
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
            append(file, noise(100, 1));
            append(file, noise(100, 2));
            assertThat(extents(file.ino())).hasSize(2);
        }
    }

    // ---- blocks that others use, too

    @Test
    void aCloneKeepsItsBytes() throws IOException {
        try (var file = open(); var copy = volume.vfs().create(Vfs.ROOT, Name.of("copy"), 0644, Owner.ROOT)) {
            append(file, noise(1000, 1));
            file.copyTo(0, copy, 0, 1000);
            append(file, noise(500, 2));
            append(copy, noise(300, 3));
            assertThat(load(file)).isEqualTo(joined(noise(1000, 1), noise(500, 2)));
            assertThat(load(copy)).isEqualTo(joined(noise(1000, 1), noise(300, 3)));
            assertThat(extents(file.ino())).hasSize(1);
            assertThat(extents(copy.ino())).hasSize(1);
        }
        clock.advance(Duration.ofSeconds(5));
        volume.reclaim();
        assertThat(volume.blocks()).isEqualTo(2);
    }

    @Test
    void filesOfOnePackedBlock() throws IOException {
        open().close();
        var pieces = List.of(piece("p", 900, 1), piece("q", 700, 2), piece("r", 20_000, 3));
        assertThat(new Import(volume.vfs()).run(pieces)).allMatch(Optional::isEmpty);
        long ino = volume.vfs().lookup(Vfs.ROOT, Name.of("q")).ino();
        try (var file = volume.vfs().open(ino)) {
            append(file, noise(100, 4));
            assertThat(load(file)).isEqualTo(joined(noise(700, 2), noise(100, 4)));
        }
        assertThat(extents(ino)).hasSize(1);
        assertThat(load(volume, volume.vfs().lookup(Vfs.ROOT, Name.of("p")).ino())).isEqualTo(noise(900, 1));
        assertThat(load(volume, volume.vfs().lookup(Vfs.ROOT, Name.of("r")).ino())).isEqualTo(noise(20_000, 3));
    }

    private static Import.Piece piece(String name, int length, int seed) throws IOException {
        return new Import.Piece(Vfs.ROOT, Name.of(name), 0644, Owner.ROOT, 1, 1, ByteBuffer.wrap(noise(length, seed)));
    }

    // ---- what comes in between

    @Test
    void truncatedWhileTheTailIsRead() throws IOException {
        try (var file = open()) {
            append(file, noise(1000, 1));
            store.onGet(() -> file.truncate(400));
            file.write(1000, ByteBuffer.wrap(noise(100, 2)));
            file.flush();
            assertThat(store.done()).hasValue(1);
            assertThat(load(file)).isEqualTo(Arrays.copyOf(noise(1000, 1), 400));
            file.truncate(1100);
            assertThat(load(file)).as("nothing comes back")
                    .isEqualTo(Arrays.copyOf(Arrays.copyOf(noise(1000, 1), 400), 1100));
        }
    }

    @Test
    void truncatedAndExtendedDuringTheUpload() throws IOException {
        try (var file = open()) {
            append(file, noise(1000, 1));
            file.write(1000, ByteBuffer.wrap(noise(100, 2)));
            store.onPut(() -> {
                file.truncate(400);
                file.truncate(1050);
            });
            file.flush();
            assertThat(load(file)).isEqualTo(Arrays.copyOf(Arrays.copyOf(noise(1000, 1), 400), 1050));
        }
    }

    private interface Intruder {
        void on(OpenFile there) throws IOException;
    }

    /**
     * Another session does this to the file while an append of 100 bytes to 1,000 is uploaded, or just before it
     * commits.
     */
    private void meets(Intruder intruder, byte[] right) throws IOException {
        for (boolean late : new boolean[] {false, true}) {
            volume = mount(new ChunkSettings(BLOCK, 0, 4 << 20));
            var other = mount(new ChunkSettings(BLOCK, 0, 4 << 20));
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of("late " + late), 0644, Owner.ROOT)) {
                append(file, noise(1000, 1));
                file.write(1000, ByteBuffer.wrap(noise(100, 2)));
                Interrupting.Act act = () -> {
                    try (var there = other.vfs().open(file.ino())) {
                        intruder.on(there);
                    }
                };
                if (late) {
                    intrusion.before(act::run);
                } else {
                    store.onPut(act);
                }
                file.flush();
                assertThat(load(file)).isEqualTo(right);
                assertThat(load(other, file.ino())).isEqualTo(right);
                assertThat(volume.vfs().merging().rewrites().tails()).isEqualTo(1);
            }
        }
        assertThat(store.done().get() + intrusion.done()).isEqualTo(2);
    }

    @Test
    void anotherSessionOverwritesTheTail() throws IOException {
        byte[] right = joined(noise(1000, 1), noise(100, 2));
        System.arraycopy(noise(50, 3), 0, right, 500, 50);
        meets(there -> there.write(500, ByteBuffer.wrap(noise(50, 3))), right);
    }

    @Test
    void anotherSessionReplacesTheTail() throws IOException {
        meets(there -> there.write(0, ByteBuffer.wrap(noise(1000, 3))), joined(noise(1000, 3), noise(100, 2)));
    }

    @Test
    void anotherSessionPunchesTheTail() throws IOException {
        byte[] right = joined(noise(1000, 1), noise(100, 2));
        Arrays.fill(right, 100, 200, (byte) 0);
        meets(there -> there.zero(100, 100, true), right);
    }

    @Test
    void anotherSessionCutsTheTail() throws IOException {
        meets(there -> there.truncate(300), joined(Arrays.copyOf(noise(1000, 1), 300), new byte[700], noise(100, 2)));
    }

    /** It appends as well, and both lose nothing but where they wrote to the same place. */
    @Test
    void anotherSessionAppends() throws IOException {
        byte[] right = joined(noise(1000, 1), noise(300, 3));
        System.arraycopy(noise(100, 2), 0, right, 1000, 100);
        meets(there -> append(there, noise(300, 3)), right);
    }

    @Test
    void anotherSessionClonesTheTail() throws IOException {
        meets(there -> there.copyTo(0, there, 5000, 1000),
                joined(noise(1000, 1), noise(100, 2), new byte[3900], noise(1000, 1)));
    }

    @Test
    void aFailedUploadIsTriedAgain() throws IOException {
        try (var file = open()) {
            append(file, noise(1000, 1));
            file.write(1000, ByteBuffer.wrap(noise(100, 2)));
            store.onPut(() -> {
                throw new IOException("no store today");
            });
            assertThat(catchThrowable(file::flush)).hasMessageContaining("no store today");
            file.write(950, ByteBuffer.wrap(noise(20, 3)));
            byte[] right = joined(noise(1000, 1), noise(100, 2));
            System.arraycopy(noise(20, 3), 0, right, 950, 20);
            assertThat(load(file)).isEqualTo(right);
            file.flush();
            assertThat(load(file)).isEqualTo(right);
            assertThat(load(mount(new ChunkSettings(BLOCK, 0, 4 << 20)), file.ino())).isEqualTo(right);
        }
    }

    @Test
    void aTailThatCannotBeReadIsNoTroubleOfWhoAppends() throws IOException {
        try (var file = open()) {
            append(file, noise(1000, 1));
            file.write(1000, ByteBuffer.wrap(noise(100, 2)));
            store.onGet(() -> {
                throw new IOException("no store today");
            });
            file.fsync();
            assertThat(store.done()).hasValue(1);
            assertThat(extents(file.ino())).hasSize(2);
            assertThat(load(file)).isEqualTo(joined(noise(1000, 1), noise(100, 2)));
        }
    }

    // ---- inline files

    /** Both outgrow the inline row of one file; the second must not bring back the bytes as they were inline. */
    @Test
    void twoSessionsOutgrowTheInlineRow() throws IOException {
        var settings = new ChunkSettings(BLOCK, 4096, 4 << 20);
        volume = mount(settings);
        var other = mount(settings);
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
            append(file, noise(1000, 1));
            file.write(5000, ByteBuffer.wrap(noise(100, 2)));
            store.onPut(() -> store.onPut(() -> {   // the second put is that of the inline bytes
                try (var there = other.vfs().open(file.ino())) {
                    there.write(0, ByteBuffer.wrap(noise(6000, 3)));
                }
            }));
            file.flush();
            assertThat(store.done()).hasValue(2);
            byte[] right = noise(6000, 3);
            System.arraycopy(noise(100, 2), 0, right, 5000, 100);
            assertThat(load(file)).isEqualTo(right);
        }
    }

    // ---- would it be noticed

    /** Negative control: without the check of the extent that is replaced, what another session wrote would be lost. */
    @Test
    void aMissingCheckWouldBeNoticed() throws IOException {
        open().close();
        var blocks = new BlockIo(new UUID(1, 2), store, Compression.None::new, 1 << 20);
        var chunks = new Chunks(new CarelessTable(volume.names().files()), blocks, new ChunkSettings(BLOCK, 0, 4 << 20),
                Runnable::run, clock);
        var careless = new Vfs(volume.names(), chunks, engine::sync);
        try (var file = careless.open(careless.lookup(Vfs.ROOT, Name.of("f")).ino())) {
            append(file, noise(1000, 1));
            file.write(1000, ByteBuffer.wrap(noise(100, 2)));
            store.onPut(() -> {
                try (var there = volume.vfs().open(file.ino())) {
                    there.write(0, ByteBuffer.wrap(noise(500, 3)));
                }
            });
            file.flush();
            assertThat(Arrays.copyOf(load(file), 500)).as("the write of another is gone")
                    .isEqualTo(Arrays.copyOf(noise(1000, 1), 500));
        }
    }
}

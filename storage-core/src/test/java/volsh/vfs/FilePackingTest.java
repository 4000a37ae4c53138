package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import volsh.block.BlockKey;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.MemoryCache;
import volsh.cache.disk.DiskTier;
import volsh.chunk.ChunkSettings;
import volsh.codec.BlockCodec;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.hang.Eventually;
import volsh.history.Snapshots;
import volsh.meta.EngineKind;
import volsh.meta.Intrusion;
import volsh.meta.MetadataAudit;
import volsh.meta.OnEveryEngine;

/** Small files that were written one by one are stored together afterwards, and nobody can tell but by the gets. */
@OnEveryEngine
final class FilePackingTest {
    private static final int BLOCK = 64 << 10;
    private static final int SIZE = 1000;
    private static final int COUNT = 120;   // about two blocks

    private final EngineKind kind;
    private final MetaEngine engine;
    private final MemoryBlockStore bucket = new MemoryBlockStore();
    private final Interrupting store = new Interrupting(bucket);
    private final ManualClock clock = new ManualClock();
    private final Map<String, byte[]> right = new TreeMap<>();
    private final TestVolume volume;

    FilePackingTest(EngineKind kind) throws IOException {
        this.kind = kind;
        engine = kind.open(new Intrusion());
        volume = mount();
    }

    private TestVolume mount() throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(BLOCK, 100, 8L << 20), Runnable::run, clock,
                new MemoryCache(0, 1), DiskTier.NONE);
    }

    @AfterEach
    void rowsAgree() throws IOException {
        assertThat(MetadataAudit.of(engine).with(store).problems()).isEmpty();
    }

    // ---- files

    private void write(Vfs vfs, String name, byte[] bytes) throws IOException {
        try (var file = vfs.create(Vfs.ROOT, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes));
        }
        right.put(name, bytes);
    }

    private static String name(int i) {
        return "f%04d".formatted(i);
    }

    private void writeMany() throws IOException {
        for (int i = 0; i < COUNT; i++) {
            write(volume.vfs(), name(i), noise(SIZE, i));
        }
    }

    private long ino(String name) throws IOException {
        return volume.names().lookup(Vfs.ROOT, Name.of(name)).ino();
    }

    private static byte[] read(Vfs vfs, long ino) throws IOException {
        try (var file = vfs.open(ino)) {
            byte[] bytes = new byte[Math.toIntExact(file.attributes().size())];
            assertThat(file.read(0, ByteBuffer.wrap(bytes))).isEqualTo(bytes.length);
            return bytes;
        }
    }

    private void requireRight() throws IOException {
        var there = new TreeMap<String, byte[]>();
        for (var entry : volume.vfs().list(Vfs.ROOT, null, 1000)) {
            there.put(entry.name().toString(), read(volume.vfs(), entry.ino()));
        }
        assertThat(there.keySet()).isEqualTo(right.keySet());
        right.forEach((name, bytes) -> assertThat(there.get(name)).as(name).isEqualTo(bytes));
    }

    private PackingReport pack() throws IOException {
        return volume.vfs().packing().pack(Vfs.ROOT, true, PackingRules.NOW, PackingListener.NONE);
    }

    private long blocksAfterReclaim() throws IOException {
        clock.advance(Duration.ofSeconds(5));
        volume.reclaim();
        return volume.blocks();
    }

    private long block(String name) throws IOException {
        return volume.vfs().content(ino(name), 0, Long.MAX_VALUE - 1).extents().getFirst().block();
    }

    // ---- what is gained

    @Test
    void anEpochTakesFewGetsAndASecondRunDoesNothing() throws IOException {
        writeMany();
        assertThat(volume.blocks()).isEqualTo(COUNT);
        var planned = volume.vfs().packing().pack(Vfs.ROOT, true, PackingRules.NOW.dryRun(), PackingListener.NONE);
        assertThat(volume.blocks()).isEqualTo(COUNT);
        var done = pack();
        assertThat(done).isEqualTo(planned).isEqualTo(
                new PackingReport(COUNT, new PackingReport.Cost(COUNT, COUNT), new PackingReport.Cost(2, 6), COUNT, 2,
                        (long) COUNT * SIZE, 0, 0, 0));
        assertThat(blocksAfterReclaim()).isEqualTo(2);
        assertThat(block(name(1))).isEqualTo(block(name(0)));   // in directory order
        requireRight();
        assertThat(pack().made()).isZero();

        try (var cached = TestVolume.open(engine, store, new ChunkSettings(BLOCK, 100, 8L << 20, 8L << 20),
                Runnable::run, clock, new MemoryCache(8L << 20, BlockCodec.FRAME_LENGTH), DiskTier.NONE)) {
            int before = store.gets().get();
            for (var entry : cached.vfs().list(Vfs.ROOT, null, 1000)) {
                read(cached.vfs(), entry.ino());
            }
            assertThat(store.gets().get() - before).isLessThanOrEqualTo(6);
        }
    }

    @Test
    void smallPacksGrowAndFullOnesStay() throws IOException {
        writeMany();
        pack();
        long full = block(name(0));
        for (int i = 0; i < 5; i++) {
            write(volume.vfs(), "g" + i, noise(SIZE, i));
            pack();
        }
        assertThat(block(name(0))).isEqualTo(full);
        assertThat(blocksAfterReclaim()).isLessThanOrEqualTo(3);
        requireRight();
    }

    /** Otherwise deleted files would keep their space for as long as one neighbour lives. */
    @Test
    void theSpaceOfDeletedFilesComesBack() throws IOException {
        writeMany();
        pack();
        for (int i = 0; i < COUNT; i++) {
            if (i % 60 != 7) {
                volume.vfs().unlink(Vfs.ROOT, Name.of(name(i)));
                right.remove(name(i));
            }
        }
        blocksAfterReclaim();
        long before = bytesStored();
        assertThat(pack().made()).isEqualTo(1);
        assertThat(blocksAfterReclaim()).isEqualTo(1);
        assertThat(bytesStored()).isLessThan(before / 10);
        requireRight();
    }

    private long bytesStored() throws IOException {
        try (var listed = bucket.list("blocks/")) {
            return listed.mapToLong(object -> object.size()).sum();
        }
    }

    @Test
    void sharedAndLargeAndTinyFilesStayAsTheyAre() throws IOException {
        writeMany();
        write(volume.vfs(), "large", noise(BLOCK, 1));
        write(volume.vfs(), "tiny", noise(90, 2));
        try (var source = volume.vfs().open(ino(name(3)));
                var copy = volume.vfs().create(Vfs.ROOT, Name.of("copy"), 0644, Owner.ROOT)) {
            source.copyTo(0, copy, 0, SIZE);
        }
        right.put("copy", right.get(name(3)));
        long sub = volume.vfs().makeDirectory(Vfs.ROOT, Name.of("other"), 0755, Owner.ROOT).ino();
        volume.vfs().rename(Vfs.ROOT, Name.of("copy"), sub, Name.of("copy"), RenameMode.REPLACE);
        long shared = block(name(3));
        long large = block("large");
        var done = volume.vfs().packing().pack(Vfs.ROOT, false, PackingRules.NOW, PackingListener.NONE);
        assertThat(done.packed()).isEqualTo(COUNT - 1);
        assertThat(done.shared()).isEqualTo(1);
        assertThat(block(name(3))).isEqualTo(shared);
        assertThat(block("large")).isEqualTo(large);
        volume.vfs().rename(sub, Name.of("copy"), Vfs.ROOT, Name.of("copy"), RenameMode.REPLACE);
        volume.vfs().removeDirectory(Vfs.ROOT, Name.of("other"));
        assertThat(blocksAfterReclaim()).isEqualTo(4);
        requireRight();
    }

    /** In the background nothing is stored twice for a snapshot; whoever asks for it is told. */
    @Test
    void filesOfSnapshotsMoveOnRequestOnly() throws IOException {
        writeMany();
        clock.advance(Duration.ofSeconds(3));
        new Snapshots(engine, clock).create("s", "");
        clock.advance(Duration.ofSeconds(3));
        var gentle = volume.vfs().packing().pack(Vfs.ROOT, true, PackingRules.GENTLE, PackingListener.NONE);
        assertThat(gentle.made()).isZero();
        var done = pack();
        assertThat(done.packed()).isEqualTo(COUNT);
        assertThat(done.keptBytes()).isEqualTo((long) COUNT * SIZE);
        assertThat(blocksAfterReclaim()).isEqualTo(COUNT + 2);
        requireRight();
    }

    // ---- what comes in between

    @Test
    void whatChangesMeanwhileIsNotUndone() throws IOException {
        writeMany();
        var other = mount();
        store.onPut(() -> {
            other.vfs().unlink(Vfs.ROOT, Name.of(name(1)));
            right.remove(name(1));
            write(other.vfs(), "new", noise(SIZE, 77));
            other.vfs().truncate(ino(name(2)), 10);
            right.put(name(2), Arrays.copyOf(right.get(name(2)), 10));
            try (var file = other.vfs().open(ino(name(3)))) {
                byte[] bytes = noise(SIZE, 99);
                file.write(0, ByteBuffer.wrap(bytes));
                right.put(name(3), bytes);
            }
        });
        var done = pack();
        assertThat(store.done()).hasValue(1);
        assertThat(done.packed()).isEqualTo(COUNT - 3);
        requireRight();
        other.close();
        blocksAfterReclaim();
        requireRight();
        pack();
        assertThat(blocksAfterReclaim()).isLessThanOrEqualTo(4);
        requireRight();
    }

    @Test
    void twoAtOnceLeaveNothingBehind() throws IOException {
        writeMany();
        var other = mount();
        store.onPut(() -> other.vfs().packing().pack(Vfs.ROOT, true, PackingRules.NOW, PackingListener.NONE));
        pack();
        assertThat(store.done()).hasValue(1);
        other.close();
        assertThat(blocksAfterReclaim()).isLessThanOrEqualTo(3);
        requireRight();
    }

    @Test
    void openFilesReadOnFromTheirOldBlocks() throws IOException {
        writeMany();
        var other = mount();
        try (var file = other.vfs().open(ino(name(5)))) {
            var first = ByteBuffer.allocate(100);
            file.read(0, first);
            pack();
            blocksAfterReclaim();
            byte[] bytes = new byte[SIZE];
            assertThat(file.read(0, ByteBuffer.wrap(bytes))).isEqualTo(SIZE);
            assertThat(bytes).isEqualTo(right.get(name(5)));
        }
        other.close();
        requireRight();
    }

    @Test
    void aFileThatIsWrittenHereIsPackedWithWhatIsCommitted() throws IOException {
        writeMany();
        try (var file = volume.vfs().open(ino(name(5)))) {
            byte[] more = noise(SIZE, 55);
            file.write(SIZE, ByteBuffer.wrap(more));
            pack();
            file.flush();
            byte[] all = new byte[2 * SIZE];
            System.arraycopy(right.get(name(5)), 0, all, 0, SIZE);
            System.arraycopy(more, 0, all, SIZE, SIZE);
            right.put(name(5), all);
        }
        requireRight();
    }

    @Test
    void aMissingBlockKeepsItsFileAndNoOther() throws IOException {
        writeMany();
        bucket.delete(BlockKey.of(block(name(9))));
        var done = pack();
        assertThat(done.packed()).isEqualTo(COUNT - 1);
        assertThat(done.damaged()).isEqualTo(1);
        assertThatThrownBy(() -> read(volume.vfs(), ino(name(9)))).isInstanceOf(IOException.class);
        volume.vfs().unlink(Vfs.ROOT, Name.of(name(9)));
        right.remove(name(9));
        blocksAfterReclaim();
        requireRight();
    }

    @Test
    void aStoreThatTakesNothingLosesNothing() throws IOException {
        writeMany();
        store.onPut(() -> {
            throw new IOException("full");
        });
        assertThatThrownBy(this::pack).hasMessageContaining("full");
        requireRight();
        Eventually.holds(kind + ": packs when it can", () -> pack().packed() == COUNT);
        requireRight();
    }
}

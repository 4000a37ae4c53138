package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.MemoryCache;
import volsh.cache.disk.DiskTier;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.history.Snapshots;
import volsh.meta.EngineKind;
import volsh.meta.Intrusion;
import volsh.meta.MetadataAudit;
import volsh.meta.OnEveryEngine;

/** Small files wait in the metadata and are stored together; their bytes are the same at any moment. */
@OnEveryEngine
final class GatheredPackingTest {
    private static final int BLOCK = 64 << 10;
    private static final int SIZE = 7000;
    private static final int COUNT = 12;   // more than one block
    private static final int LARGEST = 16 << 10;
    private static final long MOST = 1 << 20;

    private final MetaEngine engine;
    private final Interrupting store = new Interrupting(new MemoryBlockStore());
    private final ManualClock clock = new ManualClock();
    private final Map<String, byte[]> right = new TreeMap<>();
    private final TestVolume volume;

    GatheredPackingTest(EngineKind kind) throws IOException {
        engine = kind.open(new Intrusion());
        volume = mount();
        volume.vfs().packing().gather(LARGEST, MOST);
    }

    private TestVolume mount() throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(BLOCK, 100, 8L << 20), Runnable::run, clock,
                new MemoryCache(0, 1), DiskTier.NONE);
    }

    @AfterEach
    void rowsAgree() throws IOException {
        requireRight();
        clock.advance(Duration.ofSeconds(5));
        volume.reclaim();
        requireRight();
        assertThat(MetadataAudit.of(engine).with(store).problems()).isEmpty();
    }

    private void write(TestVolume to, String name, byte[] bytes) throws IOException {
        try (var file = to.vfs().create(Vfs.ROOT, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes));
        }
        right.put(name, bytes);
    }

    private static String name(int i) {
        return "f%04d".formatted(i);
    }

    private void writeMany() throws IOException {
        for (int i = 0; i < COUNT; i++) {
            write(volume, name(i), noise(SIZE, i));
        }
    }

    private long ino(String name) throws IOException {
        return volume.names().lookup(Vfs.ROOT, Name.of(name)).ino();
    }

    private byte[] read(String name) throws IOException {
        try (var file = volume.vfs().open(ino(name))) {
            byte[] bytes = new byte[Math.toIntExact(file.attributes().size())];
            assertThat(file.read(0, ByteBuffer.wrap(bytes))).isEqualTo(bytes.length);
            return bytes;
        }
    }

    private void requireRight() throws IOException {
        var names = volume.vfs().list(Vfs.ROOT, null, 1000).stream().map(entry -> entry.name().toString()).toList();
        assertThat(names).containsExactlyInAnyOrderElementsOf(right.keySet());
        for (var name : names) {
            assertThat(read(name)).as(name).isEqualTo(right.get(name));
        }
    }

    private void storeAll() throws IOException {
        volume.vfs().packing().storeGathered(PackingListener.NONE);
        assertThat(volume.vfs().packing().gathered().files()).isZero();
    }

    private boolean isInline(String name) throws IOException {
        return volume.vfs().content(ino(name), 0, Long.MAX_VALUE - 1).isInline();
    }

    private long inline() throws IOException {
        long count = 0;
        for (var name : right.keySet()) {
            count += isInline(name) ? 1 : 0;
        }
        return count;
    }

    // ---- what is gathered

    @Test
    void manyFilesBecomeAFewBlocks() throws IOException {
        writeMany();
        assertThat(volume.blocks()).isZero();
        requireRight();
        storeAll();
        assertThat(volume.blocks()).isEqualTo(2);
        assertThat(inline()).isZero();
        storeAll();
        assertThat(volume.blocks()).isEqualTo(2);
    }

    @Test
    void largerFilesAndThoseAboveTheBudgetAreStoredAtOnce() throws IOException {
        write(volume, "fits", noise(LARGEST, 1));
        assertThat(volume.blocks()).isZero();
        write(volume, "large", noise(LARGEST + 1, 1));
        assertThat(volume.blocks()).isEqualTo(1);
        volume.vfs().packing().gather(LARGEST, LARGEST + 1);
        write(volume, "last", noise(101, 1));
        assertThat(volume.blocks()).isEqualTo(1);
        write(volume, "full", noise(101, 1));
        assertThat(volume.blocks()).isEqualTo(2);
        storeAll();
        write(volume, "room", noise(101, 1));
        assertThat(isInline("room")).isTrue();
    }

    /** Removed bytes would stay in the metadata as long as that. */
    @Test
    void nothingIsGatheredWhereHistoryIsKept() throws IOException {
        volume.ticks().retain(3600);
        volume.vfs().packing().gather(LARGEST, MOST);
        writeMany();
        assertThat(inline()).isZero();
    }

    @Test
    void whatASnapshotShowsStaysUntilItIsAskedFor() throws IOException {
        writeMany();
        clock.advance(Duration.ofSeconds(3));
        new Snapshots(engine, clock).create("s", "");
        clock.advance(Duration.ofSeconds(3));
        storeAll();
        assertThat(inline()).isEqualTo(COUNT);
        volume.vfs().packing().pack(Vfs.ROOT, true, PackingRules.NOW, PackingListener.NONE);
        assertThat(inline()).isZero();
    }

    /** A mount that ended, or was killed, left them. */
    @Test
    void thoseThatAreForgottenArePackedWithTheirDirectory() throws IOException {
        writeMany();
        write(volume, "tiny", noise(90, 2));
        volume.vfs().packing().gather(0, 0);
        try (var next = mount()) {
            var planned = next.vfs().packing().pack(Vfs.ROOT, true, PackingRules.NOW.dryRun(), PackingListener.NONE);
            assertThat(volume.blocks()).isZero();
            var done = next.vfs().packing().pack(Vfs.ROOT, true, PackingRules.NOW, PackingListener.NONE);
            assertThat(done).isEqualTo(planned);
            assertThat(done.packed()).isEqualTo(COUNT);
            assertThat(done.bytes()).isEqualTo((long) COUNT * SIZE);
        }
        assertThat(inline()).isEqualTo(1);
    }

    // ---- programs that go on meanwhile

    @Test
    void aFileThatGrowsOrIsRewrittenIsRight() throws IOException {
        writeMany();
        try (var file = volume.vfs().open(ino(name(1)))) {
            byte[] more = noise(SIZE, 55);
            file.write(SIZE, ByteBuffer.wrap(more));
            byte[] all = Arrays.copyOf(right.get(name(1)), 2 * SIZE);
            System.arraycopy(more, 0, all, SIZE, SIZE);
            right.put(name(1), all);
        }
        try (var file = volume.vfs().open(ino(name(2)))) {
            byte[] all = noise(2 * SIZE, 56);
            file.write(0, ByteBuffer.wrap(all));
            right.put(name(2), all);
        }
        requireRight();
        storeAll();
    }

    @Test
    void whatChangesMeanwhileIsNotUndone() throws IOException {
        writeMany();
        var other = mount();
        store.onPut(() -> {
            other.vfs().unlink(Vfs.ROOT, Name.of(name(1)));
            right.remove(name(1));
            other.vfs().truncate(ino(name(2)), 10);
            right.put(name(2), Arrays.copyOf(right.get(name(2)), 10));
            try (var file = other.vfs().open(ino(name(3)))) {
                byte[] bytes = noise(SIZE, 99);
                file.write(0, ByteBuffer.wrap(bytes));
                right.put(name(3), bytes);
            }
        });
        storeAll();
        assertThat(store.done()).hasValue(1);
        requireRight();
        other.close();
    }

    @Test
    void twoAtOnceLeaveNothingBehind() throws IOException {
        writeMany();
        var other = mount();
        store.onPut(() -> other.vfs().packing().pack(Vfs.ROOT, true, PackingRules.NOW, PackingListener.NONE));
        storeAll();
        assertThat(store.done()).hasValue(1);
        other.close();
        assertThat(inline()).isZero();
        assertThat(volume.blocks()).isLessThanOrEqualTo(4);
    }

    @Test
    void anOpenFileReadsOnAndKeepsItsCache() throws IOException {
        writeMany();
        try (var file = volume.vfs().open(ino(name(5)))) {
            long before = file.attributes().version();
            var first = ByteBuffer.allocate(100);
            file.read(0, first);
            storeAll();
            byte[] bytes = new byte[SIZE];
            assertThat(file.read(0, ByteBuffer.wrap(bytes))).isEqualTo(SIZE);
            assertThat(bytes).isEqualTo(right.get(name(5)));
            assertThat(file.versionBehind(before)).isEqualTo(file.attributes().version());
        }
    }

    @Test
    void aFileThatIsWrittenAndRemovedLeavesNothing() throws IOException {
        writeMany();
        for (int i = 0; i < COUNT; i++) {
            volume.vfs().unlink(Vfs.ROOT, Name.of(name(i)));
            right.remove(name(i));
        }
        storeAll();
        assertThat(volume.blocks()).isZero();
    }

    // ---- trouble

    @Test
    void aStoreThatTakesNothingLosesNothing() throws IOException {
        writeMany();
        store.onPut(() -> {
            throw new IOException("full");
        });
        assertThatThrownBy(() -> volume.vfs().packing().storeGathered(BLOCK, PackingListener.NONE))
                .hasMessageContaining("full");
        assertThat(volume.vfs().packing().gathered().files()).isEqualTo(COUNT);
        assertThat(volume.vfs().packing().gathered().bytes()).isEqualTo((long) COUNT * SIZE);
        requireRight();
        storeAll();
        assertThat(inline()).isZero();
    }

    // ---- holes

    @Test
    void holesAreNotGathered() throws IOException {
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of("sparse"), 0644, Owner.ROOT)) {
            file.write(8192, ByteBuffer.wrap(noise(100, 1)));
            assertThat(file.seekData(0)).isEqualTo(8192);
            assertThat(file.attributes().allocated()).isEqualTo(100);
        }
        byte[] bytes = new byte[8292];
        System.arraycopy(noise(100, 1), 0, bytes, 8192, 100);
        right.put("sparse", bytes);
    }

    @Test
    void aHoleAtTheEndIsOne() throws IOException {
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of("long"), 0644, Owner.ROOT)) {
            file.truncate(12_000);
            file.write(0, ByteBuffer.wrap(noise(SIZE, 1)));
            assertThat(file.seekHole(0)).isEqualTo(8192);
            assertThat(file.attributes().allocated()).isEqualTo(SIZE);
            assertThatThrownBy(() -> file.seekData(8192)).isInstanceOf(FsException.class);
        }
        assertThat(isInline("long")).isTrue();
        right.put("long", Arrays.copyOf(noise(SIZE, 1), 12_000));
        storeAll();
        assertThat(isInline("long")).isFalse();
    }

    @Test
    void aPunchedFileGetsItsHole() throws IOException {
        write(volume, "punched", noise(16_000, 1));
        assertThat(isInline("punched")).isTrue();
        try (var file = volume.vfs().open(ino("punched"))) {
            file.zero(4096, 8192, true);
            assertThat(file.seekHole(0)).isEqualTo(4096);
            assertThat(file.seekData(4096)).isEqualTo(12_288);
            assertThat(file.attributes().allocated()).isEqualTo(16_000 - 8192);
        }
        Arrays.fill(right.get("punched"), 4096, 12_288, (byte) 0);
    }

    /** Appends take the usual way, so that the rows of a log that grows are not written again and again. */
    @Test
    void appendsAreNotGathered() throws IOException {
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of("log"), 0644, Owner.ROOT)) {
            for (int i = 0; i < 3; i++) {
                file.append(ByteBuffer.wrap(noise(200, i)));
                file.flush();
            }
        }
        var all = ByteBuffer.allocate(600);
        List.of(0, 1, 2).forEach(i -> all.put(noise(200, i)));
        right.put("log", all.array());
        assertThat(isInline("log")).isFalse();
    }
}

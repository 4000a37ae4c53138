package volsh.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Counted;
import volsh.block.Forwarding;
import volsh.block.NoSuchBlockException;
import volsh.block.StoreUrl;
import volsh.block.file.FileBlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.catalog.Access;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.inventory.Packs;
import volsh.journal.Packing.Item;
import volsh.lifecycle.AttachRequest;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;
import volsh.vfs.Vfs;
import volsh.volume.Durability.State;
import volsh.volume.Machine;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.writeback.Writeback;

/** Small blocks that share an object are found, given back, and as safe as others. */
@OnPostgres
@Tag("volume")
final class PackedStoreTest {
    private static final UUID JOURNAL = new UUID(1, 2);

    @TempDir
    Path directory;
    private final MemoryBlockStore bucket = new MemoryBlockStore();
    private final MetaEngine engine;
    private PackedStore packed;

    PackedStoreTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    @BeforeEach
    void open() throws IOException {
        packed = new PackedStore(bucket, new Packs(engine));
    }

    private void pack(long... blocks) throws IOException {
        var items = new ArrayList<Item>();
        var together = ByteBuffer.allocate(blocks.length * 1000);
        for (long block : blocks) {
            items.add(new Item(block, together.position(), 1000));
            together.put(Machine.bytes(block, 1000));
        }
        packed.put(JOURNAL, items, together.flip());
    }

    private static byte[] read(BlockStore store, long block, int offset, int length) throws IOException {
        var target = ByteBuffer.allocate(length);
        int count = store.get(BlockKey.of(block), offset, target);
        assertThat(count).isEqualTo(target.position());
        return Arrays.copyOf(target.array(), count);
    }

    private static long count(BlockStore store, String prefix) throws IOException {
        try (var listed = store.list(prefix)) {
            return listed.count();
        }
    }

    @Test
    void blocksAreReadOutOfOneObject() throws IOException {
        pack(5, 6, 7);
        assertThat(count(bucket, "")).isOne();
        for (long block : List.of(5L, 6L, 7L)) {
            assertThat(read(packed, block, 0, 1000)).isEqualTo(Machine.bytes(block, 1000));
            assertThat(read(packed, block, 900, 500)).as("not the next block's")
                    .isEqualTo(Arrays.copyOfRange(Machine.bytes(block, 1000), 900, 1000));
        }
        packed.put(BlockKey.of(8), ByteBuffer.wrap(Machine.bytes(8, 10)));
        assertThat(read(packed, 8, 0, 10)).isEqualTo(Machine.bytes(8, 10));
        assertThatThrownBy(() -> read(packed, 9, 0, 1)).isInstanceOf(NoSuchBlockException.class);
    }

    @Test
    void whoOpenedBeforeFindsThem() throws IOException {
        var other = new PackedStore(bucket, new Packs(engine));
        pack(5, 6);
        assertThat(read(other, 6, 0, 1000)).isEqualTo(Machine.bytes(6, 1000));
    }

    @Test
    void anObjectGoesWithItsLastBlock() throws IOException {
        pack(5, 6, 7);
        packed.delete(BlockKey.of(6));
        packed.deleteAll(List.of(BlockKey.of(5), BlockKey.of(99)));
        assertThat(read(packed, 7, 0, 1000)).isEqualTo(Machine.bytes(7, 1000));
        assertThatThrownBy(() -> read(packed, 5, 0, 1)).isInstanceOf(NoSuchBlockException.class);
        packed.deleteAll(List.of(BlockKey.of(5), BlockKey.of(7)));
        assertThat(count(bucket, "")).isZero();
        assertThat(new Packs(engine).any()).isFalse();
    }

    @Test
    void aBlockStoredTwiceIsThereOnceAndGoesAltogether() throws IOException {
        pack(5, 6);
        pack(6, 7);
        packed.put(BlockKey.of(7), ByteBuffer.wrap(Machine.bytes(7, 1000)));
        packed.deleteAll(List.of(BlockKey.of(5)));
        assertThat(count(bucket, "packs/")).as("nothing is left in the first").isOne();
        assertThat(read(packed, 6, 0, 1000)).isEqualTo(Machine.bytes(6, 1000));
        packed.deleteAll(List.of(BlockKey.of(6), BlockKey.of(7)));
        assertThat(count(bucket, "")).isZero();
    }

    @Test
    void whatAKilledProcessBeganIsRemovedAndWhatALivingOneDoesIsNot() throws IOException {
        var packs = new Packs(engine);
        long begun = packs.announce(JOURNAL);
        bucket.put(PackWindows.key(begun), ByteBuffer.allocate(100));
        pack(5);
        packed.tidy(journal -> true, () -> {});
        assertThat(count(bucket, "packs/")).isEqualTo(2);
        packed.tidy(journal -> false, () -> {});
        assertThat(count(bucket, "packs/")).isOne();
        assertThat(read(packed, 5, 0, 1000)).isEqualTo(Machine.bytes(5, 1000));
    }

    // ---- many, one behind the other

    private static long[] blocks(int count) {
        return java.util.stream.LongStream.range(1000, 1000 + count).toArray();
    }

    @Test
    void whoReadsOneBehindTheOtherNeedsFewRequests() throws IOException {
        var counted = new Counted(bucket);
        packed = new PackedStore(counted, new Packs(engine));
        pack(blocks(150));
        for (long block : blocks(150)) {
            assertThat(read(packed, block, 0, 1000)).isEqualTo(Machine.bytes(block, 1000));
        }
        assertThat(counted.traffic().gets()).isEqualTo(3);
    }

    @Test
    void whoReadsBackwardsGetsWhatIsAskedFor() throws IOException {
        var counted = new Counted(bucket);
        packed = new PackedStore(counted, new Packs(engine));
        var items = new ArrayList<Item>();
        var together = ByteBuffer.allocate(9 * 400_000);
        for (int block = 1; block <= 9; block++) {
            items.add(new Item(block, together.position(), 400_000));
            together.put(Machine.bytes(block, 400_000));
        }
        packed.put(JOURNAL, items, together.flip());
        for (int block = 9; block >= 1; block--) {
            assertThat(read(packed, block, 0, 400_000)).isEqualTo(Machine.bytes(block, 400_000));
        }
        assertThat(counted.traffic().gotBytes()).isEqualTo(9 * 400_000);
    }

    @Test
    void manyReadersAtOnce() throws Exception {
        var counted = new Counted(bucket);
        packed = new PackedStore(counted, new Packs(engine));
        pack(blocks(200));
        try (var crew = Executors.newFixedThreadPool(8)) {
            var done = new ArrayList<Future<?>>();
            for (long block : blocks(200)) {
                done.add(crew.submit(() -> {
                    assertThat(read(packed, block, 0, 1000)).isEqualTo(Machine.bytes(block, 1000));
                    return null;
                }));
            }
            for (var each : done) {
                each.get();
            }
        }
        assertThat(counted.traffic().gets()).isLessThan(20);
    }

    /** Fails while it is told to. */
    private static final class Moody implements Forwarding {
        private final BlockStore delegate;
        private int failures;

        Moody(BlockStore delegate) {
            this.delegate = delegate;
        }

        @Override
        public BlockStore delegate() {
            return delegate;
        }

        @Override
        public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
            if (failures-- > 0) {
                throw new IOException("away");
            }
            return delegate.get(key, offset, target);
        }
    }

    @Test
    void aWindowThatFailedIsForgotten() throws IOException {
        var moody = new Moody(bucket);
        packed = new PackedStore(moody, new Packs(engine));
        pack(blocks(10));
        for (long block : blocks(10)) {
            moody.failures = block < 1002 ? 0 : 1;
            assertThat(read(packed, block, 0, 1000)).as("by a request of its own")
                    .isEqualTo(Machine.bytes(block, 1000));
        }
        moody.failures = 2;
        assertThatThrownBy(() -> read(packed, 1009, 0, 1000)).as("if that fails, too").hasMessage("away");
    }

    private record Away(BlockStore delegate) implements Forwarding {
        @Override
        public void put(BlockKey key, ByteBuffer data) throws IOException {
            throw new IOException("away");
        }
    }

    @Test
    void aPackOfAFailedRequestIsTidiedToo() throws IOException {
        var failing = new PackedStore(new Away(bucket), new Packs(engine));
        assertThatThrownBy(() -> failing.put(JOURNAL, List.of(new Item(1, 0, 1)), ByteBuffer.allocate(1)))
                .hasMessageContaining("away");
        packed.tidy(journal -> false, () -> {});
        assertThat(new Packs(engine).any()).isFalse();
    }

    // ---- a volume

    private Volume open(Machine machine) throws IOException {
        var lazy = new Writeback(Optional.empty(), Writeback.LIMIT, Duration.ofHours(1), Duration.ZERO);
        return machine.volumes().open(OpeningRequest.of("data", Access.WRITE, "test").lasting(Optional.of(lazy)));
    }

    private void writeFiles(Volume volume, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            Machine.write(volume, "f" + i, Machine.bytes(i, 20_000));
        }
    }

    /** Committed is only who is found by another machine that has nothing but the store. */
    @Test
    void smallFilesShareObjectsAndAreCommittedWhenItIsKnownWhere() throws IOException {
        var url = StoreUrl.of(directory.resolve("bucket").toUri().toString());
        var machine = new Machine(directory.resolve("first"));
        var spec = machine.create("data", url);
        try (var volume = open(machine);
                var store = new FileBlockStore(directory.resolve("bucket").resolve(spec.prefix()), new OsDisk())) {
            writeFiles(volume, 60);
            volume.shipping().ship();
            assertThat(volume.store(Duration.ofMinutes(2))).isTrue();
            assertThat(count(store, "blocks/")).isZero();
            assertThat(count(store, "packs/")).isBetween(1L, 8L);
            long ino = volume.vfs().lookup(Vfs.ROOT, Name.of("f7")).ino();
            assertThat(volume.durability(ino).state()).as("only this host knows where it is").isEqualTo(State.STORED);
            volume.shipping().ship();
            assertThat(volume.durability(ino).state()).isEqualTo(State.COMMITTED);
            var elsewhere = new Machine(directory.resolve("second"));
            elsewhere.volumes().attaching().attach(new AttachRequest(url, Optional.empty(), Optional.empty(),
                    Optional.empty(), true), AttachRequest.Watcher.NONE);
            var found = elsewhere.files("data");
            assertThat(found).hasSize(60);
            for (int i = 0; i < 60; i++) {
                assertThat(found).containsEntry("f" + i, Arrays.hashCode(Machine.bytes(i, 20_000)));
            }
        } catch (volsh.ship.AttachedElsewhereException fenced) {
            // the first machine learns it when it closes
        }
    }

    @Test
    void deletedFilesGiveTheirObjectsBack() throws IOException {
        var machine = new Machine(directory.resolve("first"));
        var spec = machine.create("data", StoreUrl.of(directory.resolve("bucket").toUri().toString()));
        try (var volume = open(machine)) {
            writeFiles(volume, 20);
            assertThat(volume.store(Duration.ofMinutes(2))).isTrue();
        }
        try (var store = new FileBlockStore(directory.resolve("bucket").resolve(spec.prefix()), new OsDisk())) {
            assertThat(machine.files("data")).hasSize(20);
            for (int i = 0; i < 20; i++) {
                assertThat(count(store, "packs/")).as("the last file needs it").isPositive();
                machine.delete("data", "f" + i);
            }
            for (int i = 0; i < 2_000 && count(store, "packs/") > 0; i++) {
                machine.write("data", "w" + i, new byte[10]);   // time passes, and what is dead is deleted
            }
            assertThat(count(store, "packs/")).isZero();
        }
    }
}

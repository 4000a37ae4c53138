package volsh.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.StoreUrl;
import volsh.block.file.FileBlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.catalog.Access;
import volsh.catalog.VolumeSpec;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.inventory.Packs;
import volsh.inventory.Superblock;
import volsh.journal.Packing.Item;
import volsh.lifecycle.AttachRequest;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;
import volsh.volume.Machine;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.writeback.Writeback;

/** What has gone from packs is given back, whatever happens meanwhile, and nothing that somebody needs. */
@OnPostgres
@Tag("volume")
final class PackCompactionTest {
    private static final UUID JOURNAL = new UUID(1, 2);
    private static final int LENGTH = 20_000;

    @TempDir
    Path directory;
    private Machine machine;
    private VolumeSpec spec;
    private StoreUrl url;

    @BeforeEach
    void create() throws IOException {
        url = StoreUrl.of(directory.resolve("bucket").toUri().toString());
        machine = new Machine(directory.resolve("first"));
        spec = machine.create("data", url);
    }

    private Volume open() throws IOException {
        var lazy = new Writeback(Optional.empty(), Writeback.LIMIT, Duration.ofHours(1), Duration.ZERO);
        return machine.volumes().open(OpeningRequest.of("data", Access.WRITE, "test").lasting(Optional.of(lazy)));
    }

    private Map<Long, Long> packs() throws IOException {
        var sizes = new HashMap<Long, Long>();
        try (var store = new FileBlockStore(directory.resolve("bucket").resolve(spec.prefix()), new OsDisk());
                var listed = store.list("packs/")) {
            listed.forEach(each -> sizes.put(PackWindows.number(each.key()).getAsLong(), each.size()));
        }
        return sizes;
    }

    private long bytes() throws IOException {
        return packs().values().stream().mapToLong(Long::longValue).sum();
    }

    /** 60 files in packs, of which every fifth is left. */
    private void writeAndDelete() throws IOException, InterruptedException {
        try (var volume = open()) {
            for (int i = 0; i < 60; i++) {
                Machine.write(volume, "f" + i, Machine.bytes(i, LENGTH));
            }
            assertThat(volume.store(Duration.ofMinutes(2))).isTrue();
        }
        try (var volume = open()) {
            for (int i = 0; i < 60; i++) {
                if (i % 5 != 0) {
                    volume.vfs().unlink(Vfs.ROOT, Name.of("f" + i));
                }
            }
        }
        var enough = new AtomicInteger();
        // when nobody can read it any more, by whoever closes the volume
        Eventually.value("nearly all of what is dead is deleted", () -> look().freed(),
                // a pack that is empty is gone, and does not count
                freed -> freed >= 48 * LENGTH || freed >= 40 * LENGTH && enough.incrementAndGet() > 30);
    }

    private PackCompaction.Report look() throws IOException {
        try (var volume = open()) {
            return volume.packCompaction().look();
        }
    }

    private static void assertWhole(Map<String, Integer> files) {
        for (int i = 0; i < 60; i += 5) {
            assertThat(files).containsEntry("f" + i, Arrays.hashCode(Machine.bytes(i, LENGTH)));
        }
    }

    @Test
    void whatIsLeftMovesTogetherAndIsFoundAlsoElsewhere() throws Exception {
        writeAndDelete();
        long before = bytes();
        assertThat(before).isGreaterThan(50 * LENGTH);
        try (var volume = open()) {
            var wouldDo = volume.packCompaction().look();
            assertThat(bytes()).as("looking changes nothing").isEqualTo(before);
            var done = volume.packCompaction().run(() -> false);
            assertThat(done).isEqualTo(wouldDo);
            assertThat(done.sparse()).isPositive();
            assertThat(done.damagedBlocks()).isZero();
            assertThat(volume.packCompaction().run(() -> false).sparse()).as("nothing is left to do").isZero();
        }
        assertThat(bytes()).isLessThan(20 * LENGTH);
        assertWhole(machine.files("data"));
        var elsewhere = new Machine(directory.resolve("second"));
        elsewhere.volumes().attaching().attach(new AttachRequest(url, Optional.empty(), Optional.empty(),
                Optional.empty(), true), AttachRequest.Watcher.NONE);
        assertWhole(elsewhere.files("data"));
    }

    /**
     * Only what cannot come undone lets a pack go: whoever attaches the volume as it was shipped last finds everything.
     */
    @Test
    void nothingIsDeletedBeforeTheMoveIsShipped() throws Exception {
        writeAndDelete();
        try (var volume = open()) {
            var packed = volume.packCompaction();
            var failing = packed.with(() -> {
                throw new IOException("cannot be shipped now");
            });
            var before = packs();
            assertThatThrownBy(() -> failing.run(() -> false)).hasMessage("cannot be shipped now");
            assertThat(packs()).containsAllEntriesOf(before);
        }
        assertWhole(machine.files("data"));
        try (var volume = open()) {
            volume.packCompaction().run(() -> false);
        }
        assertThat(bytes()).as("what was begun is finished").isLessThan(20 * LENGTH);
        assertWhole(machine.files("data"));
    }

    @Test
    void aDamagedBlockStaysWhereItIs() throws Exception {
        writeAndDelete();
        try (var volume = open()) {
            var lying = new Lying();
            var done = volume.packCompaction().over(lying::over).run(() -> false);
            assertThat(done.damagedBlocks()).isPositive();
            assertThat(lying.puts).as("nothing that was read wrongly is stored").isZero();
        }
        assertWhole(machine.files("data"));
    }

    /** Flips a bit in all that is read. */
    private static final class Lying {
        private int puts;

        BlockStore over(BlockStore store) {
            return new Forwarding() {
                @Override
                public BlockStore delegate() {
                    return store;
                }

                @Override
                public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
                    int start = target.position();
                    int count = store.get(key, offset, target);
                    target.put(start + count / 2, (byte) (target.get(start + count / 2) ^ 1));
                    return count;
                }

                @Override
                public void put(BlockKey key, ByteBuffer data) throws IOException {
                    puts++;
                    store.put(key, data);
                }
            };
        }
    }

    // ---- blocks that were never committed

    private final MemoryBlockStore bucket = new MemoryBlockStore();
    private final MetaEngine engine;

    PackCompactionTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    private PackedStore pack(long... blocks) throws IOException {
        var packed = new PackedStore(bucket, new Packs(engine));
        var items = new ArrayList<Item>();
        var together = ByteBuffer.allocate(blocks.length * 100);
        for (long block : blocks) {
            items.add(new Item(block, together.position(), 100));
            together.put(Machine.bytes(block, 100));
        }
        packed.put(JOURNAL, items, together.flip());
        return packed;
    }

    @Test
    void whatNobodyCommittedGoes() throws IOException {
        var packed = pack(5, 6, 7);
        var done = new PackCompaction(new UUID(1, 1), new Packs(engine), packed, () -> {}).run(() -> false);
        assertThat(done.lostBlocks()).isEqualTo(3);
        assertThat(new Packs(engine).any()).isFalse();
        try (var listed = bucket.list("")) {
            assertThat(listed.count()).isZero();
        }
    }

    @Test
    void whatALivingSessionMayStillCommitStays() throws IOException {
        var sessions = new Superblock(engine, InstantSource.system());
        sessions.format(Owner.ROOT, 0755, "made", new byte[0]);
        try (var volume = TestVolume.open(
                engine, bucket, new ChunkSettings(4096, 0, 1 << 20), Runnable::run, InstantSource.system())) {
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
                file.write(0, ByteBuffer.allocate(4096));
            }
            long mine = sessions.sessions().list().getFirst().blocks().getFirst().end() - 1;
            var packed = pack(mine, mine + 1_000_000);
            var done = new PackCompaction(new UUID(1, 1), new Packs(engine), packed, () -> {}).run(() -> false);
            assertThat(done.lostBlocks()).as("the other one is nobody's").isOne();
            assertThat(new Packs(engine).find(mine)).isPresent();
        }
    }

    // ---- who is wrong about who lives

    /**
     * Even a pack that is taken for left behind while its maker lives costs nothing: he cannot place blocks in it any
     * more.
     */
    @Test
    void nothingIsPlacedInAPackThatWasClaimed() throws IOException {
        var packs = new Packs(engine);
        long pack = packs.announce(JOURNAL);
        assertThat(packs.claim(pack)).isTrue();
        assertThatThrownBy(() -> packs.place(pack, Map.of(5L, new Packs.Place(pack, 0, 1))))
                .hasMessageContaining("dead process");
        assertThatThrownBy(() -> packs.move(pack, List.of())).hasMessageContaining("dead process");
        assertThat(packs.find(5)).isEmpty();
        assertThat(packs.left(maker -> true)).as("whoever comes next finishes it").containsExactly(pack);
        long placed = packs.announce(JOURNAL);
        packs.place(placed, Map.of(6L, new Packs.Place(placed, 0, 1)));
        assertThat(packs.claim(placed)).as("something lies in it").isFalse();
    }

    /** A block that goes, or is packed again, while it is copied is left alone. */
    @Test
    void whatMovesOrGoesMeanwhileIsLeftAlone() throws IOException {
        var packs = new Packs(engine);
        long first = packs.announce(JOURNAL);
        var at = new Packs.Place(first, 0, 1);
        packs.place(first, Map.of(5L, at, 6L, new Packs.Place(first, 1, 1), 7L, new Packs.Place(first, 2, 1)));
        long second = packs.announce(JOURNAL);
        packs.place(second, Map.of(6L, new Packs.Place(second, 0, 1)));
        packs.remove(List.of(7L));
        long third = packs.announce(new UUID(0, 0));
        var moved = packs.move(third, List.of(
                new Packs.Move(5, at, new Packs.Place(third, 0, 1)),
                new Packs.Move(6, new Packs.Place(first, 1, 1), new Packs.Place(third, 1, 1)),
                new Packs.Move(7, new Packs.Place(first, 2, 1), new Packs.Place(third, 2, 1))));
        assertThat(moved).containsExactly(5L);
        assertThat(packs.find(6).orElseThrow().pack()).isEqualTo(second);
        assertThat(packs.find(7)).isEmpty();
        assertThat(packs.empty(List.of(first, second, third))).containsExactly(first);
    }
}

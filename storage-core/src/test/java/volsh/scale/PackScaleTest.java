package volsh.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.block.BlockKey;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.journal.Packing.Item;
import volsh.meta.Namespace;
import volsh.meta.Reclaim;
import volsh.vfs.PosixContract;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;
import volsh.volume.PackedStores;

/** Packs give back their room, however many there are. */
final class PackScaleTest {
    private static final int PACKS = Scale.LONG ? Scale.MANY : 520;
    private static final int EACH = 3;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void packsThatAreMostlyEmptyAreMoved(String kind) throws Exception {
        var bucket = new MemoryBlockStore();
        try (var scale = Scale.blank(kind, directory)) {
            var packed = PackedStores.of(bucket, scale.engine, TestVolume.ID, Scale.LONG ? 100_000 : 250);
            try (var volume = TestVolume.open(scale.engine, packed.store(), new ChunkSettings(Scale.BLOCK, 0, 1 << 20),
                    Runnable::run, scale.clock)) {
                long ino = write(volume);
                pack(scale, bucket);
                scale.clock.advance(Duration.ofSeconds(2));
                Scale.times(scale.engine, PACKS, 20, engine -> {
                    var files = new Namespace(engine, scale.clock, volume.session().id()).files();
                    return i -> files.punch(ino, (long) Scale.BLOCK * i * EACH,
                            (long) Scale.BLOCK * (i * EACH + EACH - 1), false);
                });
                scale.clock.advance(Duration.ofSeconds(2));
                volume.renew();
                var reclaim = new Reclaim(scale.engine, scale.clock, volume.session().id());
                int gone = 0;
                for (var dead = reclaim.dead(200); !dead.isEmpty(); dead = reclaim.dead(200)) {
                    packed.store().deleteAll(dead.stream().map(each -> BlockKey.of(each.block().id())).toList());
                    reclaim.forget(dead);
                    gone += dead.size();
                }
                assertThat(gone).isEqualTo(PACKS * (EACH - 1));
                assertThat(objects(bucket)).isEqualTo(PACKS);
                var done = packed.compaction().run(() -> false);
                assertThat(done.sparse()).isEqualTo(PACKS);
                assertThat(done.damagedBlocks() + done.lostBlocks()).isZero();
                assertThat(objects(bucket)).isLessThan(PACKS / 50);
                assertThat(packed.compaction().look().sparse()).isZero();
                assertRead(volume, ino);
                assertThat(volume.audit()).isEmpty();
            }
        }
    }

    private static long write(TestVolume volume) throws Exception {
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
            for (int i = 0; i < PACKS * EACH; i++) {
                file.write((long) i * Scale.BLOCK, ByteBuffer.wrap(bytes(i)));
            }
            return file.ino();
        }
    }

    private static byte[] bytes(int block) {
        return PosixContract.noise(Scale.BLOCK, block);
    }

    private static void assertRead(TestVolume volume, long ino) throws Exception {
        try (var file = volume.vfs().open(ino)) {
            for (int i = EACH - 1; i < PACKS * EACH; i += EACH) {
                var target = ByteBuffer.allocate(Scale.BLOCK);
                file.read((long) i * Scale.BLOCK, target);
                assertThat(target.array()).as("block %d", i).isEqualTo(bytes(i));
            }
        }
    }

    /** A few blocks each, in the order of the file. */
    private static void pack(Scale scale, MemoryBlockStore bucket) throws Exception {
        var blocks = new ArrayList<BlockKey>();
        try (var listed = bucket.list("blocks/")) {
            listed.forEach(each -> blocks.add(each.key()));
        }
        blocks.sort((a, b) -> Long.compare(a.block().getAsLong(), b.block().getAsLong()));
        assertThat(blocks).hasSize(PACKS * EACH);
        scale.times(PACKS, engine -> {
            var packing = PackedStores.of(bucket, engine, TestVolume.ID).packing();
            return i -> {
                var together = ByteBuffer.allocate(EACH * 2 * Scale.BLOCK);
                var items = new ArrayList<Item>();
                for (var key : blocks.subList(i * EACH, (i + 1) * EACH)) {
                    int at = together.position();
                    int length = bucket.get(key, 0, together);
                    items.add(new Item(key.block().getAsLong(), at, length));
                }
                packing.put(new UUID(1, 1), items, together.flip());
            };
        });
        bucket.deleteAll(blocks);
    }

    private static long objects(MemoryBlockStore bucket) throws Exception {
        try (var listed = bucket.list("")) {
            return listed.count();
        }
    }
}

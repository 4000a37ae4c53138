package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeDraft;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.place.LayoutPolicy;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;

/** Blocks of a volume over several stores are healed, looked through and moved, however many there are. */
@Tag("volume")
final class CareScaleTest {
    private static final int BLOCK = 64 << 10;
    /** More than a page of rows, than are put on the list together, than are moved before old places are cleared. */
    private static final int BLOCKS = Boolean.getBoolean("volsh.long") ? 100_000 : 450;

    @TempDir
    Path directory;

    @Test
    void healedScrubbedMigratedRebalancedAndDrained() throws Exception {
        var volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", directory.resolve("home").toString()), false),
                InstantSource.system(), Owner.ROOT);
        for (int i = 1; i <= 3; i++) {
            volumes.stores().add("s" + i, StoreUrl.of("mem://s" + i));
        }
        volumes.create(VolumeDraft.named("v").withBlockSize(new ByteSize(BLOCK))
                .withSpread(StoreLayout.of(List.of("s1", "s2"), LayoutPolicy.of("mirror:2"))));
        try (var volume = volumes.open("v", Access.WRITE, "test")) {
            write(volume);
        }
        wipe(volumes, 2);
        try (var volume = volumes.open("v", Access.WRITE, "test");
                var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            Eventually.value("nothing is missing", () -> {   // the volume heals itself beside it
                assertThat(care.heal(Set.of("s2")).lost()).isEmpty();
                return volume.spot().orElseThrow().rows().countMissing();
            }, missing -> missing == 0);
            var scrubbed = care.scrub(true, false);
            assertThat(scrubbed.blocks()).isEqualTo(BLOCKS);
            assertThat(scrubbed.isClean()).isTrue();
        }
        volumes.spreading().add("v", List.of("s3"));
        try (var volume = volumes.open("v", Access.WRITE, "test");
                var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            assertThat(care.rebalance()).isPositive();
        }
        volumes.spreading().leave("v", "s2", true);
        try (var volume = volumes.open("v", Access.WRITE, "test");
                var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            assertThat(care.drain(2)).isPositive();
            assertThat(care.drain(2)).isZero();
            long ino = volume.vfs().lookup(Vfs.ROOT, Name.of("f")).ino();
            care.setPolicy(ino, LayoutPolicy.of("stripe:1"));
            assertThat(care.migrate(ino)).isEqualTo(BLOCKS);
            read(volume);
        }
        assertThat(blocks(volumes, 1) + blocks(volumes, 3)).isEqualTo(BLOCKS);
        assertThat(blocks(volumes, 2)).isZero();
    }

    private static byte[] bytes(int block) {
        return ByteBuffer.allocate(100).putInt(block).array();
    }

    private static void write(Volume volume) throws IOException {
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
            for (int i = 0; i < BLOCKS; i++) {
                file.write((long) i * BLOCK, ByteBuffer.wrap(bytes(i)));
            }
        }
    }

    private static void read(Volume volume) throws IOException {
        try (var file = volume.vfs().open(volume.vfs().lookup(Vfs.ROOT, Name.of("f")).ino())) {
            for (int i = 0; i < BLOCKS; i += 7) {
                var target = ByteBuffer.allocate(100);
                file.read((long) i * BLOCK, target);
                assertThat(target.array()).isEqualTo(bytes(i));
            }
        }
    }

    private static BlockStore store(Volume volume, int number) throws IOException {
        return volume.spot().orElseThrow().store().members().of(number).store();
    }

    private static long blocks(Volumes volumes, int number) throws IOException {
        try (var volume = volumes.open("v", Access.READ, "test"); var listed = store(volume, number).list("blocks/")) {
            return listed.count();
        }
    }

    private static void wipe(Volumes volumes, int number) throws IOException {
        try (var volume = volumes.open("v", Access.READ, "test")) {
            var all = new ArrayList<BlockKey>();
            try (var listed = store(volume, number).list("")) {
                listed.forEach(object -> all.add(object.key()));
            }
            store(volume, number).deleteAll(all);
        }
    }
}

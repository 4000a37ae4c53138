package volsh.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.Owner;
import volsh.transfer.Observer;
import volsh.tree.CopySettings;
import volsh.tree.FileTree;
import volsh.tree.NewEntry;
import volsh.tree.OpenTrees;
import volsh.tree.Places;
import volsh.tree.UploadRecords;
import volsh.unit.ByteSize;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** Syncs between volumes, and within one, now and then: blocks that are there are not stored again. */
@Tag("volume")
final class SyncSharesTest {
    private static final int BLOCK = 64 << 10;
    private static final int BLOCKS = 40;

    @TempDir
    private Path directory;

    private final List<Volume> open = new ArrayList<>();
    private Volumes volumes;
    private OpenTrees trees;

    @BeforeEach
    void open() throws IOException {
        volumes = new Volumes(new Home(directory.resolve("config"), directory.resolve("state"),
                directory.resolve("cache"), directory.resolve("run")), InstantSource.system(), Owner.ROOT);
        volumes.create(VolumeDraft.named("one").withBlockSize(ByteSize.of("64KiB")));
        volumes.create(VolumeDraft.named("two").withBlockSize(ByteSize.of("64KiB")));
        var known = new TreeMap<String, Volume>();
        trees = new OpenTrees(path -> {
            var volume = known.get(path.source());
            if (volume == null) {
                volume = path.moment().isEmpty() ? volumes.open(path.volume(), Access.WRITE, "test")
                        : volumes.open(OpeningRequest.past(path.volume(), path.moment().get(), "test"));
                known.put(path.source(), volume);
                open.add(volume);
            }
            return volume;
        }, Owner.ROOT, new UploadRecords(directory.resolve("uploads")));
    }

    @AfterEach
    void close() throws IOException {
        trees.close();
        for (var volume : open.reversed()) {
            volume.close();
        }
    }

    private FileTree tree(String word) throws IOException {
        return trees.of(new Places(name -> Optional.empty(), new TreeMap<>()).of(word));
    }

    private static void write(FileTree tree, String path, byte[] bytes) throws IOException {
        try (var writer = tree.create(NewEntry.of(path, bytes.length))) {
            writer.write(0, ByteBuffer.wrap(bytes));
            writer.commit();
        }
    }

    private static SyncSummary sync(FileTree from, FileTree to) throws IOException {
        return new TreeSync(from, to, new SyncSettings(CopySettings.of(2), true, false, SyncSettings.ALL),
                Observer.NONE).run();
    }

    /** Bytes that were put into the store of the volume so far. */
    private long stored(String volume) {
        return open.stream().filter(each -> each.spec().name().equals(volume)).findFirst().orElseThrow()
                .traffic().putBytes();
    }

    private static byte[] noise(int seed) {
        byte[] bytes = new byte[BLOCKS * BLOCK + 100];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** A change of a block, a file of another name: between volumes only the block that is new is stored. */
    @Test
    void betweenVolumesOnlyWhatIsMissingIsStored() throws Exception {
        byte[] bytes = noise(1);
        write(tree("one:/from"), "big", bytes);
        sync(tree("one:/from"), tree("two:/to"));
        long first = stored("two");
        bytes[7 * BLOCK + 5]++;
        write(tree("one:/from"), "big", bytes);
        write(tree("one:/from"), "other", bytes);
        assertThat(sync(tree("one:/from"), tree("two:/to")).copied().files()).isEqualTo(2);
        assertThat(stored("two") - first).as("bytes stored, of %d", first).isLessThan(8 * BLOCK);
        assertThat(TreeContents.of(tree("two:/to"))).isEqualTo(TreeContents.of(tree("one:/from"))).hasSize(2);
    }

    @Test
    void withinAVolumeNothingIsStored() throws Exception {
        write(tree("one:/from"), "big", noise(2));
        write(tree("one:/from"), "small", new byte[] {1, 2, 3});
        long before = stored("one");
        assertThat(sync(tree("one:/from"), tree("one:/to")).copied().files()).isEqualTo(2);
        assertThat(stored("one") - before).isLessThan(BLOCK);
        assertThat(TreeContents.of(tree("one:/to"))).isEqualTo(TreeContents.of(tree("one:/from"))).hasSize(2);
    }

    @Test
    void outOfASnapshotNothingIsStored() throws Exception {
        byte[] bytes = noise(3);
        write(tree("one:/from"), "big", bytes);
        write(tree("one:/from"), "gone", bytes);
        open.getFirst().sync();
        volumes.snapshots().create("one", "v1", "");
        bytes[5]++;
        write(tree("one:/from"), "big", bytes);
        write(tree("one:/from"), "new", new byte[] {1});
        tree("one:/from").remove(List.of(tree("one:/from").find("gone").orElseThrow()));
        long before = stored("one");
        assertThat(sync(tree("one@v1:/from"), tree("one:/from")).copied().files()).isEqualTo(2);
        assertThat(stored("one") - before).isLessThan(BLOCK);
        assertThat(TreeContents.of(tree("one:/from"))).isEqualTo(TreeContents.of(tree("one@v1:/from")))
                .containsOnlyKeys("big", "gone");
        assertThat(sync(tree("one@v1:/from"), tree("one:/from")).copied().files()).isZero();
    }
}

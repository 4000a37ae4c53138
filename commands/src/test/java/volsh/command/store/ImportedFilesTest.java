package volsh.command.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;

/**
 * What people do with files of a volume works with imported ones, too: each command reads the bytes of the objects, and
 * after each the bucket is as it was and a deep check finds nothing.
 */
final class ImportedFilesTest {
    private static final int FILES = 10;

    @TempDir
    Path directory;

    private Scratch scratch;
    private Map<String, String> before;

    @BeforeEach
    void prepare() throws IOException {
        scratch = new Scratch(directory.resolve("home"));
        var random = new Random(1);
        for (int i = 0; i < FILES; i++) {
            byte[] bytes = new byte[1000 + i * 20_000];
            random.nextBytes(bytes);
            Files.write(Files.createDirectories(bucket().resolve("n" + i % 2)).resolve("%02d.jpg".formatted(i)), bytes);
        }
        before = bucketState();
        ok("volume create data --block-size 64KiB");
        ok("import file://%s data:/lake".formatted(bucket()));
    }

    @AfterEach
    void theBucketIsAsItWasAndTheVolumeIsRight() throws IOException {
        ok("volume check data --deep");
        ok("volume gc data");
        assertThat(bucketState()).isEqualTo(before);
        ok("volume destroy data --confirm data");
        assertThat(bucketState()).isEqualTo(before);
    }

    private Path bucket() {
        return directory.resolve("bucket");
    }

    private Map<String, String> bucketState() throws IOException {
        var found = new TreeMap<String, String>();
        try (var all = Files.walk(bucket())) {
            for (var path : all.filter(Files::isRegularFile).toList()) {
                found.put(path.toString(), "%s %s %d".formatted(Files.readAttributes(path, "*").get("fileKey"),
                        Files.getLastModifiedTime(path), Files.size(path)));
            }
        }
        return found;
    }

    private Ended ok(String line) {
        return ended(line, 0);
    }

    private Ended ended(String line, int status) {
        var ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended;
    }

    /** The place has the files of the bucket. */
    private void same(String place) throws IOException {
        var got = Files.createTempDirectory(directory, "got").resolve("all");
        ok("get -r %s %s".formatted(place, got));
        sameAs(got);
    }

    private void sameAs(Path got) throws IOException {
        try (var all = Files.walk(bucket())) {
            for (var path : all.filter(Files::isRegularFile).toList()) {
                assertThat(Files.mismatch(path, got.resolve(bucket().relativize(path).toString()))).as(path.toString())
                        .isEqualTo(-1);
            }
        }
    }

    @Test
    void snapshotsClonesAndRemovedFiles() throws IOException {
        ok("snapshot create data@v1");
        ok("clone data:/lake data:/clone");
        ok("rm -r -y data:/lake/n0");
        same("data@v1:/lake");
        same("data:/clone");
        ok("undelete data:/lake/n0");
        same("data:/lake");
        ok("rm -r -y data:/lake/n1");
        ok("snapshot restore data@v1 -y");
        same("data:/lake");
        ok("snapshot destroy data@v1 -y");
    }

    @Test
    void views() throws IOException {
        ok("shard view create data:/lake --samples 5 --as data:/.views/v");
        ok("shard pack data:/lake %s --format webdataset --samples 5".formatted(directory.resolve("packed")));
        for (int i = 0; i < 2; i++) {
            var got = directory.resolve("shard" + i);
            ok("get data:/.views/v/v-00000%d.tar %s".formatted(i, got));
            assertThat(Files.mismatch(got, directory.resolve("packed/shard-00000%d.tar".formatted(i)))).isEqualTo(-1);
        }
        ok("shard verify data:/.views/v");
    }

    /** A run whose files are objects of a bucket, beside one that is saved into the volume. */
    @Test
    void checkpoints() throws IOException {
        ok("volume create source");
        ok("checkpoint save source --run r --step 1 --from " + bucket());
        var run = Files.createDirectory(directory.resolve("run"));
        ok("get -r source:/r %s/r".formatted(run));
        ok("import file://%s data:/".formatted(run));
        ok("checkpoint verify data --run r --step 1");
        ok("checkpoint restore data --run r --step 1 --to " + directory.resolve("restored"));
        sameAs(directory.resolve("restored"));
        ok("checkpoint save data --run r --step 2 --from " + bucket());
        ok("checkpoint prune data --keep last=1 -y");
    }

    @Test
    void copiesSyncAndStage() throws IOException {
        ok("cp -r data:/lake data:/copy");
        same("data:/copy");
        ok("volume create other");
        ok("sync data:/lake other:/lake");
        same("other:/lake");
        ok("sync data:/lake " + directory.resolve("synced"));
        sameAs(directory.resolve("synced"));
        assertThat(ok("sync data:/lake %s -o value:files".formatted(directory.resolve("synced"))).out())
                .isEqualTo("0\n");
        ok("stage data:/lake %s --verify".formatted(directory.resolve("staged")));
        sameAs(directory.resolve("staged"));
        ok("mv data:/lake data:/moved");
        same("data:/moved");
        ok("volume check other --deep");
    }

    @Test
    void dumpsAndOtherMetadata() throws IOException {
        ok("volume dump data " + directory.resolve("dump"));
        ok("volume load %s loaded".formatted(directory.resolve("dump")));
        same("loaded:/lake");
        ok("volume check loaded --deep");
        ok("volume rename loaded renamed");
        same("renamed:/lake");
        ok("volume destroy renamed --confirm renamed");
    }
}

package volsh.command.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;

/** Views, as people use them: made, listed, read like any file, removed; and what is refused. */
@Tag("volume")
final class ViewCommandsTest {
    @TempDir
    Path directory;
    private Scratch machine;

    @BeforeEach
    void aDataset() throws IOException {
        machine = new Scratch(directory.resolve("home"));
        var random = new Random(1);
        for (int i = 0; i < 40; i++) {
            var folder = Files.createDirectories(directory.resolve("data/n" + i % 2));
            byte[] bytes = new byte[1000 + 200 * i];
            random.nextBytes(bytes);
            Files.write(folder.resolve("%03d.jpg".formatted(i)), bytes);
        }
        ok("volume create train --block-size 64KiB");
        ok("put -r %s train:/".formatted(directory.resolve("data")));
    }

    private Ended ok(String line) {
        return ended(line, 0);
    }

    private Ended ended(String line, int status) {
        var ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended;
    }

    @Test
    void aViewIsAPackedDatasetThatTakesNoSpace() throws IOException {
        assertThat(ok("shard view create train:/data --samples 15 --as train:/.views/t -n").out()).contains("3 shards");
        assertThat(ok("shard view list train -o value:view").out()).isEmpty();
        assertThat(ok("shard view create train:/data --samples 15 --as train:/.views/t").err())
                .contains("40 samples in 40 files", "3 shards");
        assertThat(ok("shard view list train -o value:view").out()).isEqualTo("train:/.views/t\n");
        assertThat(ok("shard view show train:/.views/t -o value:state").out()).isEqualTo("ok\nok\nok\n");
        ok("shard pack train:/data %s --format webdataset --samples 15".formatted(directory.resolve("packed")));
        for (int i = 0; i < 3; i++) {
            var got = directory.resolve("got" + i);
            ok("get train:/.views/t/t-00000%d.tar %s".formatted(i, got));
            assertThat(Files.mismatch(got, directory.resolve("packed/shard-00000%d.tar".formatted(i)))).isEqualTo(-1);
        }
        ok("shard verify train:/.views/t");
        assertThat(ended("shard view create train:/data --as train:/.views/t", 4).err()).contains("is a view already");

        ok("rm -y -r train:/data/n0");
        ok("get train:/.views/t/t-000000.tar %s".formatted(directory.resolve("later")));
        assertThat(Files.mismatch(directory.resolve("later"), directory.resolve("got0"))).isEqualTo(-1);
        ok("volume check train --deep");
        assertThat(ok("shard view remove train:/.views/t -n").out()).contains("3 shards");
        ok("shard view remove train:/.views/t");
        ended("ls train:/.views/t", 3);
        ended("shard view remove train:/.views/t", 3);
        ok("volume check train --deep");
    }

    /** The state of a snapshot, although the files have changed since. */
    @Test
    void aSnapshotCanBeShown() throws IOException {
        ok("shard pack train:/data %s --format webdataset".formatted(directory.resolve("packed")));
        ok("snapshot create train@v1");
        ok("rm -y -r train:/data/n1");
        ok("shard view create train@v1:/data --as train:/.views/v1");
        ok("get train:/.views/v1/v1-000000.tar " + directory.resolve("got"));
        assertThat(Files.mismatch(directory.resolve("got"), directory.resolve("packed/shard-000000.tar")))
                .isEqualTo(-1);
        ok("volume check train --deep");
    }

    @Test
    void whatCannotBeIsRefused() {
        ok("volume create other");
        assertThat(ended("shard view create train:/data --as other:/v", 2).err()).contains("same volume");
        assertThat(ended("shard view create train:/data --as train:/data/view", 2).err()).contains("show itself");
        ended("shard view create train:/data --as train:/data/.view -n", 0);
        ended("shard view create train:/data", 2);
        ended("shard view create train:/data --as train:/v --samples 0", 2);
        ended("shard view create train:/absent --as train:/v", 3);
        ended("shard view show train:/data", 3);
        ended("shard view list nothing", 3);
        ok("mkdir train:/full");
        ok("put %s train:/full/notes.txt".formatted(directory.resolve("data/n0/000.jpg")));
        assertThat(ended("shard view create train:/data --as train:/full", 4).err()).contains("notes.txt");
    }
}

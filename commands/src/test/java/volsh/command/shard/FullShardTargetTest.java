package volsh.command.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.mount.SmallDisk;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;

/** A target without enough space, of every kind: one clear line, exit 8, and nothing that is half written. */
@Tag("volume")
final class FullShardTargetTest {
    private static final int FILES = 120;
    private static final int SIZE = 40_000;

    @TempDir
    Path directory;
    private Scratch machine;

    @BeforeEach
    void shards() throws IOException {
        machine = new Scratch(directory.resolve("home"));
        var random = new Random(1);
        for (int i = 0; i < FILES; i++) {
            var folder = Files.createDirectories(directory.resolve("data/n" + i % 3));
            byte[] bytes = new byte[SIZE];
            random.nextBytes(bytes);
            Files.write(folder.resolve("%03d.jpg".formatted(i)), bytes);
        }
        run("shard pack DATA SHARDS --samples 20", 0);
    }

    private Ended run(String line, int status) {
        var ended = machine.run(line.replace("DATA", directory.resolve("data").toString())
                .replace("SHARDS", directory.resolve("shards").toString()));
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended;
    }

    private void isFull(String line, String named) {
        var ended = run(line, 8);
        assertThat(ended.err().lines().filter(each -> each.startsWith("error: "))).as(ended.err()).hasSize(1);
        assertThat(ended.err()).contains(named).doesNotContain("Exception");
    }

    /** Every shard and file that is there is whole, and no list of them says that they are complete. */
    private void nothingIsHalf(Path got) throws IOException {
        for (var kind : List.of("packed", "records")) {
            assertThat(got.resolve(kind + "/dataset.json")).doesNotExist();
            if (Files.exists(got.resolve(kind))) {
                try (var found = Files.list(got.resolve(kind))) {
                    for (var shard : found.filter(file -> file.toString().matches(".*\\.(tar|records)")).toList()) {
                        run("shard verify '%s'".formatted(shard), 0);
                    }
                }
            }
        }
        if (Files.exists(got.resolve("files"))) {
            try (var found = Files.walk(got.resolve("files"))) {
                for (var file : found.filter(each -> each.toString().endsWith(".jpg")
                        && !each.toString().contains(".volsh-pack")).toList()) {
                    assertThat(file).hasSameBinaryContentAs(
                            directory.resolve("data").resolve(got.resolve("files").relativize(file)));
                }
            }
        }
    }

    @Test
    void aVolumeAtItsQuota() throws IOException {
        run("volume create small --quota 2MiB --block-size 256KiB", 0);
        for (var verb : List.of("pack DATA small:/packed --samples 20", "unpack SHARDS small:/files",
                "convert SHARDS small:/records --to records")) {
            isFull("shard " + verb, "volume 'small' may hold 2MiB");
            var got = directory.resolve("got of " + verb.substring(0, 4).strip());
            run("get -r small:/ '%s'".formatted(got), 0);
            nothingIsHalf(got);
            run("rm -r -y small:/" + verb.replaceAll(".*small:/(\\w+).*", "$1"), 0);
        }
    }

    @Test
    void aStoreOnAFullDisk() throws IOException {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 3)) {
            run("store add little file://%s/blocks".formatted(disk.directory()), 0);
            run("volume create full --store little --block-size 256KiB", 0);
            isFull("shard pack DATA full:/packed --samples 20 --parallel 1", "disk/blocks");
            isFull("shard unpack SHARDS full:/files", "disk/blocks");
            run("get -r full:/ %s/got".formatted(directory), 0);
            nothingIsHalf(directory.resolve("got"));
            run("volume check full", 0);
        }
    }

    @Test
    void aFullDisk() throws IOException {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 3)) {
            for (var verb : List.of("pack DATA %s/packed --samples 20", "unpack SHARDS %s/files",
                    "convert SHARDS %s/records --to records")) {
                isFull("shard " + verb.formatted(disk.directory()), disk.directory().toString());
                nothingIsHalf(disk.directory());
                volsh.disk.LocalTrees.remove(disk.directory().resolve(verb.replaceAll(".*%s/(\\w+).*", "$1")));
            }
        }
    }
}

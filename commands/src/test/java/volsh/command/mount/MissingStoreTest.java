package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.command.tree.Scratch;

/**
 * A store in a directory that is missing, or an empty mount point, is unavailable: every command says so, names the
 * directory, makes nothing there, and all is as it was once the disk is back.
 */
@Timeout(120)
final class MissingStoreTest {
    @TempDir
    Path directory;
    private Scratch scratch;
    private Path disk;

    @BeforeEach
    void home() {
        scratch = new Scratch(directory.resolve("home"));
        disk = directory.resolve("disk");
    }

    private void volume() throws IOException {
        scratch.ok("store add s1 file://" + disk);
        scratch.ok("volume create data --store s1 --block-size 64KiB --inline 0");
        scratch.fill("data", 2, 100_000);
    }

    /** The disk is not mounted: its directory is gone, or the empty one below it is seen. */
    private void unmount(String what) throws IOException {
        Files.move(disk, directory.resolve("aside"));
        if (what.equals("empty")) {
            Files.createDirectory(disk);
        }
    }

    private void mountAgain() throws IOException {
        Files.deleteIfExists(disk);
        Files.move(directory.resolve("aside"), disk);
    }

    private void unavailable(String line, String... words) throws IOException {
        var ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(6);
        assertThat(ended.out() + ended.err()).as(line).contains("store 's1'").doesNotContain("Exception", "is damaged");
        assertThat(words).as(line + "\n" + ended.out() + ended.err()).allMatch((ended.out() + ended.err())::contains);
        if (Files.exists(disk)) {
            assertThat(disk).as(line).isEmptyDirectory();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gone", "empty"})
    void everyCommandSaysSo(String what) throws Exception {
        volume();
        unmount(what);
        var copy = Files.writeString(directory.resolve("x"), "x".repeat(1000));
        var hint = "volsh store show s1";
        for (var line : List.of("put %s data:/x".formatted(copy), "get data:/data/f0 " + directory.resolve("out"),
                "cat data:/data/f0", "volume gc data", "volume gc data --delete", "volume check data",
                "volume check data --deep", "volume check data --repair", "scrub data", "scrub data --deep",
                "cp data:/data/f0 data:/copy", "mount data %s --foreground".formatted(
                Files.createDirectories(directory.resolve("mnt"))), "mount data %s --foreground --read-only"
                .formatted(directory.resolve("mnt")), "volume destroy data --confirm data")) {
            unavailable(line, hint);
        }
        unavailable("status -o json");
        assertThat(scratch.run("status -o csv --columns kind,health,next").out())
                .contains("volume,unavailable,volsh store probe s1\n", "store,unavailable,volsh store probe s1\n");
        var doctor = scratch.run("doctor -o csv --columns finding,evidence");
        assertThat(doctor.out()).contains("status shows 2 problems,volume data: unavailable; store s1: unavailable\n");
        assertThat(doctor.status()).isEqualTo(6);
        unavailable(hint);
        assertThat(scratch.run("df").status()).isEqualTo(10);
        assertThat(scratch.run("df").err()).contains("store 's1'");
        assertThat(scratch.run("ls -l data:/data").status()).as("names are not in the store").isZero();
        unavailable("rm -y data:/data/f1", hint);
        mountAgain();
        scratch.ok("rm -y data:/data/f1");
        scratch.ok("volume gc data --delete");
        scratch.ok("volume check data --deep");
        scratch.ok("get data:/data/f0 " + directory.resolve("out"));
        assertThat(directory.resolve("out")).hasSameBinaryContentAs(directory.resolve("source-data/f0"));
        try (var left = Files.walk(disk)) {
            assertThat(left.filter(each -> each.getFileName().toString().matches("[0-9a-f]{16}")).count())
                    .as("blocks of f0 only").isEqualTo(2);
        }
    }

    @Test
    void onlyAddAndCreateMakeADirectory() throws Exception {
        scratch.ok("store add s1 file://" + disk);
        scratch.ok("store probe s1");
        Files.delete(disk);
        unavailable("store probe s1", disk.toString());
        assertThat(disk).doesNotExist();
        scratch.ok("volume create data --store s1");
        scratch.ok("store probe s1");
        scratch.ok("store probe default");
    }

    @Test
    void aLostDiskDoesNotKeepItsVolume() throws Exception {
        volume();
        unmount("gone");
        scratch.ok("volume destroy data --force --confirm data");
        assertThat(disk).doesNotExist();
        assertThat(scratch.ok("volume list -o name").out()).isEmpty();
    }

    /** What is written goes on when the disk is back. */
    @Test
    void aMountWritesNothingIntoTheEmptyMountPoint() throws Exception {
        volume();
        try (var served = ServedVolume.here(scratch, "data", directory.resolve("mnt"), "")) {
            assertThat(served.sh("cat data/f0 | wc -c").said()).contains("100000");
            unmount("empty");
            unavailable("store probe s1", "has no data of volume 'data'");
            assertThat(served.sh("head -c 100000 /dev/urandom > new && sync new").status()).isNotZero();
            assertThat(disk).isEmptyDirectory();
            served.says("mounts show %s -o json".formatted(directory.resolve("mnt")), 6, "unavailable", "store 's1'",
                    disk.toString(), "and will be once that works", "\"next\": \"volsh store probe s1\"");
            unavailable("doctor %s --for 50ms".formatted(directory.resolve("mnt")), "volsh store show s1");
            unavailable("doctor pipeline %s --for 50ms".formatted(directory.resolve("mnt")), "volsh store show s1");
            mountAgain();
            assertThat(served.sh("for i in $(seq 600); do sync new && exit 0; sleep 0.1; done; exit 1").status())
                    .isZero();
        }
        scratch.ok("volume check data --deep");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--mirror 2", "--ec 2+1"})
    void oneOfSeveralStores(String layout) throws Exception {
        for (int i = 1; i <= 3; i++) {
            scratch.ok("store add s%d file://%s".formatted(i, i == 1 ? disk : directory.resolve("s" + i)));
        }
        scratch.ok("volume create data --store s1,s2,s3 %s --block-size 64KiB --inline 0".formatted(layout));
        scratch.fill("data", 2, 100_000);
        scratch.run("heal data");
        unmount("gone");
        scratch.ok("get data:/data/f0 " + directory.resolve("out"));
        assertThat(directory.resolve("out")).hasSameBinaryContentAs(directory.resolve("source-data/f0"));
        for (var line : List.of("heal data", "scrub data", "scrub data --deep", "volume check data", "status")) {
            unavailable(line, "store 's1' is missing", disk.toString());
        }
        assertThat(disk).doesNotExist();
        mountAgain();
        scratch.ok("heal data");
        scratch.ok("scrub data --deep");
    }
}

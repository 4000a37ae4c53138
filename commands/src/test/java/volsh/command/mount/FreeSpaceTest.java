package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.unit.ByteSize;

/** FREE of {@code volsh df} is what can still be written: as a mount says, with quotas, and without inodes. */
@Timeout(150)
final class FreeSpaceTest {
    @TempDir
    Path directory;

    private static long free(Scratch scratch, String what) {
        return Long.parseLong(scratch.ok("df %s -o value:free".formatted(what)).out().strip());
    }

    private static long statvfs(ServedVolume served, String path) throws Exception {
        var words = served.sh("stat -f -c '%a %S' " + path).said().strip().split(" ");
        return Long.parseLong(words[0]) * Long.parseLong(words[1]);
    }

    @Test
    void withQuotas() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create data --block-size 1MiB");
        scratch.ok("mkdir data:/alice");
        assertThat(free(scratch, "data")).isGreaterThan(40 * ByteSize.MIB);
        try (var served = ServedVolume.here(scratch, "data", directory.resolve("mnt"), "")) {
            assertThat(served.write("alice/a", 2).said()).isEmpty();
            scratch.ok("quota set data 32MiB");
            assertThat(free(scratch, "data")).isEqualTo(30 * ByteSize.MIB).isEqualTo(statvfs(served, "."));
            assertThat(scratch.ok("df data -o value:usePercent").out().strip()).isEqualTo("7");
            scratch.ok("quota set data:/alice 10MiB --inodes 5");
            assertThat(free(scratch, "data:/alice")).isEqualTo(8 * ByteSize.MIB).isEqualTo(statvfs(served, "alice"));
            assertThat(scratch.ok("df data:/alice -o csv --columns used,inodesFree,usePercent").out())
                    .contains("2097152,3,20");
            scratch.ok("quota set data 5MiB");
            assertThat(free(scratch, "data:/alice")).as("the volume has less").isEqualTo(3 * ByteSize.MIB)
                    .isEqualTo(statvfs(served, "alice"));
            scratch.ok("quota set data 1MiB");
            assertThat(free(scratch, "data")).as("over its quota").isZero();
            assertThat(statvfs(served, ".")).isZero();
        }
    }

    @Test
    void withoutInodes() throws Exception {
        try (var disk = SmallDisk.mountInodes(directory.resolve("disk"), 8, 200)) {
            var scratch = new Scratch(directory.resolve("home"));
            scratch.ok("store add s1 file://" + disk.directory().resolve("store"));
            scratch.ok("volume create data --store s1 --block-size 1MiB");
            assertThat(free(scratch, "data")).isPositive();
            disk.fill();
            assertThat(free(scratch, "data")).isZero();
            var status = scratch.run("status -o json");
            assertThat(status.status()).as(status.out()).isEqualTo(8);
            assertThat(status.out()).contains("its disk has no free inode", "df -i " + disk.directory());
        }
    }

    /** Metadata cannot be written: nothing is free, however much room the store has. */
    @Test
    void aFullHome() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 8)) {
            var scratch = new Scratch(disk.directory().resolve("home"));
            scratch.ok("store add s1 file://" + directory.resolve("store"));
            scratch.ok("volume create data --store s1 --block-size 1MiB");
            try (var served = ServedVolume.here(scratch, "data", directory.resolve("mnt"), "")) {
                assertThat(statvfs(served, ".")).isPositive();
                disk.fill();
                assertThat(statvfs(served, ".")).isZero();
                assertThat(free(scratch, "data")).isZero();
                assertThat(served.sh("for i in $(seq 2000); do head -c 2000 /dev/urandom >f$i || exit 1; done").said())
                        .contains("No space left");
                served.says("mounts show %s -o json".formatted(served.mountPoint()), 8,
                        "\"next\": \"df -h " + disk.directory());
                assertThat(scratch.run("doctor -o json").out())
                        .contains("is nearly full", "\"df -h " + disk.directory()).doesNotContain("cache resize");
                disk.free();
                assertThat(free(scratch, "data")).isPositive();
            }
        }
    }

    @Test
    void aHomeWithoutInodes() throws Exception {
        try (var disk = SmallDisk.mountInodes(directory.resolve("disk"), 8, 200)) {
            var scratch = new Scratch(disk.directory().resolve("home"));
            scratch.ok("volume create data --block-size 1MiB");
            disk.fill();
            var status = scratch.run("status -o json");
            assertThat(status.status()).as(status.out() + status.err()).isEqualTo(8);
            assertThat(status.out()).contains("the disk of the home has no free inode", "df -i " + disk.directory());
        }
    }
}

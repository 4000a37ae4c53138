package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.HomeProcesses;

/** What programs make on a mount has the layout of its directory, also if it gets its name only when it is whole. */
final class LayoutOnAMountTest {
    @TempDir
    Path directory;

    private Scratch machine() {
        return new Scratch(directory.resolve("home"));
    }

    @AfterEach
    void unmount() throws IOException {
        machine().run("umount " + directory.resolve("mnt") + " --lazy");
        HomeProcesses.awaitEnd(directory);
    }

    @Test
    void anUnnamedFileHasTheLayoutOfItsDirectory() throws IOException {
        for (int i = 1; i <= 3; i++) {
            machine().ok("store add s%d file://%s".formatted(i, directory.resolve("s" + i)));
        }
        machine().ok("volume create big --store s1,s2,s3 --stripe-count -1 --block-size 256KiB --inline 0");
        machine().ok("mkdir big:/hot");
        machine().ok("stripe set big:/hot --mirror 2 --size 128KiB");
        var mount = Files.createDirectory(directory.resolve("mnt"));
        machine().ok("mount big " + mount);
        for (var place : List.of("hot", ".")) {
            var made = Image.run(Map.of("PATH", "/usr/bin:/bin"), mount.resolve(place), List.of("python3", "-c", """
                    import os
                    f = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600)
                    os.write(f, os.urandom(700000)); os.fsync(f)
                    d = os.open('.', os.O_RDONLY); os.link('/proc/self/fd/%d' % f, 'whole', src_dir_fd=d, dst_dir_fd=d, follow_symlinks=True)"""));
            assertThat(made.exit()).as(made.err()).isZero();
        }
        machine().ok("umount " + mount);
        assertThat(machine().ok("stripe list big:/hot/whole -o value:written").out()).isEqualTo("mirror:2\n");
        assertThat(machine().ok("stripe list big:/hot/whole -o value:blocks").out()).as("of 128 KiB").isEqualTo("6\n");
        assertThat(machine().ok("stripe list big:/whole -o value:written").out()).as("the control")
                .isEqualTo("stripe:3\n");
    }
}

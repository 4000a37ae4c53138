package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel's list of mounts, as we read it. */
@Tag("mount")
final class MountTableTest {
    @Test
    void linesAreTakenApart() {
        var line = MountTable.parse("36 35 0:54 / /mnt/a\\040b\\134c rw,nosuid shared:7 master:3 - fuse.volsh "
                + "volsh:data\\040x rw,user_id=0").orElseThrow();
        assertThat(line).isEqualTo(new MountTable.Line(Path.of("/mnt/a b\\c"), "0:54", "fuse.volsh", "volsh:data x",
                "rw,user_id=0", false));
        assertThat(line.isOurs()).isTrue();
        assertThat(MountTable.parse("36 35 8:1 / / rw - ext4 /dev/vda rw").orElseThrow().isOurs()).isFalse();
        assertThat(MountTable.parse("nonsense")).isEmpty();
        assertThat(MountTable.parse("36 35 8:1 / / ro,nosuid - ext4 /dev/vda rw").orElseThrow().readOnly()).isTrue();
        assertThat(MountTable.parse("36 35 8:1 / / rw,relatime - ext4 /dev/vda ro").orElseThrow().readOnly()).isTrue();
        assertThat(MountTable.parse("36 35 8:1 / / rw,rox - ext4 /dev/vda").orElseThrow().readOnly()).isFalse();
    }

    @Test
    void whatIsMountedIsFound(@TempDir Path directory) throws IOException {
        var root = MountTable.at(Path.of("/proc")).orElseThrow();
        assertThat(root.type()).isEqualTo("proc");
        assertThat(MountTable.contains(root)).isTrue();
        assertThat(MountTable.contains(new MountTable.Line(Path.of("/proc"), "0:0", "proc", "proc", "", false)))
                .isFalse();
        assertThat(MountTable.at(Files.createDirectory(directory.resolve("d")))).isEmpty();
    }
}

package volsh.command.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

final class SystemCommandsTest {
    @TempDir
    Path directory;

    private Scratch.Ended run(String line) {
        return new Scratch(directory.resolve("home")).run("volsh " + line);
    }

    @Test
    void dirtyPages() {
        assertThat(run("sys dirty -o json").out()).contains("\"dirtyBytes\": ", "\"blockingBytes\": ");
        assertThat(run("sys dirty --wait --until 1TiB").status()).isZero();
        var late = run("sys dirty --wait --until 0 --timeout 0s");
        assertThat(late.status()).isIn(0, 124);     // nothing dirty at all is possible
    }

    /** Only what --apply says changes the machine. */
    @Test
    void tuningIsProposed() throws IOException {
        var settings = Files.readString(Path.of("/proc/sys/vm/dirty_bytes"));
        assertThat(run("sys tune --size 130GB").out()).contains("now", "proposed");
        assertThat(run("sys tune --size 130GB --apply -n").out()).contains("vm.dirty_bytes", "put back");
        assertThat(run("sys tune --size 130GB --while true").err()).contains("add --apply");
        assertThat(Files.readString(Path.of("/proc/sys/vm/dirty_bytes"))).isEqualTo(settings);
    }

    @Test
    void fileSystemsAndPages() throws IOException {
        var file = Files.write(directory.resolve("f"), new byte[8192]);
        assertThat(run("sys fstype /proc -o value:type").out()).isEqualTo("proc\n");
        assertThat(run("sys fstype " + directory.resolve("none")).status()).isEqualTo(3);
        String whole = "sizeBytes,residentBytes,part\n8192,8192,100.0\n";
        String found = "";
        for (int tries = 0; tries < 20 && !found.equals(whole); tries++) {     // a kernel that is short of memory forgets what was just written
            assertThat(Files.readAllBytes(file)).hasSize(8192);
            found = run("sys pagecache " + file + " -o csv --columns size,resident,part").out();
        }
        assertThat(found).isEqualTo(whole);
        assertThat(run("sys pagecache " + directory.resolve("none")).status()).isEqualTo(3);
    }

    @Test
    void disks() {
        assertThat(run("iostat --interval 20ms --all --explain -o json").out()).contains("\"verdict\": ");
        assertThat(run("iostat nosuchdisk").status()).isEqualTo(3);
        assertThat(run("iostat --interval 1ms").status()).isEqualTo(2);
    }
}

package volsh.command.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;

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
        assertThat(run("sys tune --size 130GB --apply -n").out()).contains("vm.dirty_bytes", "restore");
        assertThat(run("sys tune --size 130GB --while true").err()).contains("--while needs --apply");
        assertThat(Files.readString(Path.of("/proc/sys/vm/dirty_bytes"))).isEqualTo(settings);
    }

    /** What is shown is what sysctl says: a percentage of two digits is not read as one. */
    @Test
    void limitsAreTheKernels() throws Exception {
        assumeTrue(sysctl("vm.dirty_bytes").equals("0"), "limits in bytes are in force here");
        var text = run("sys dirty -o csv --columns blocking,available").out().lines().toList().get(1).split(",");
        assertThat(100.0 * Long.parseLong(text[0]) / Long.parseLong(text[1]))
                .isCloseTo(Long.parseLong(sysctl("vm.dirty_ratio")), within(1.0));
    }

    /**
     * The real limits of this machine: changed while a command runs, then exactly as they were. Only root may; another
     * test run may hold them.
     */
    @Test
    void limitsAreRestored() throws Exception {
        assumeTrue(Files.isWritable(Path.of("/proc/sys/vm/dirty_bytes")), "only root sets limits");
        var seen = directory.resolve("seen");
        var limits = new String[1];
        var tuned = new Scratch.Ended[1];
        Eventually.holds("nobody else changes the limits", () -> {
            limits[0] = limits();
            tuned[0] = run(("sys tune --size 1GB --apply --while 'sysctl -n vm.dirty_bytes "
                    + "vm.dirty_background_bytes > %s'").formatted(seen));
            return tuned[0].status() != 5 && (limits[0].equals(limits()) || !limits().startsWith("0 "));
        });
        String before = limits[0];
        var ended = tuned[0];
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("restored the previous limits");
        assertThat(Files.readAllLines(seen)).allSatisfy(bytes -> assertThat(Long.parseLong(bytes)).isPositive());
        assertThat(limits()).isEqualTo(before);
        assertThat(run("sys tune --restore").status()).isIn(0, 5);
    }

    private static String limits() throws Exception {
        return sysctl("vm.dirty_bytes", "vm.dirty_ratio", "vm.dirty_background_bytes", "vm.dirty_background_ratio");
    }

    private static String sysctl(String... names) throws Exception {
        var words = new ArrayList<>(List.of("sysctl", "-n"));
        words.addAll(List.of(names));
        var process = new ProcessBuilder(words).start();
        return String.join(" ", process.inputReader().lines().toList());
    }

    @Test
    void tuningAsksForWhatItNeeds() {
        assertThat(run("sys tune").err()).contains("missing --size");
        assertThat(run("sys tune --restore --apply").err()).contains("--restore excludes all other options");
        assertThat(run("sys tune --restore -n").status()).isZero();
    }

    @Test
    void fileSystemsAndPages() throws IOException {
        var file = Files.write(directory.resolve("f"), new byte[8192]);
        assertThat(run("sys fstype /proc -o value:type").out()).isEqualTo("proc\n");
        assertThat(run("sys fstype " + directory.resolve("none")).status()).isEqualTo(3);
        String whole = "sizeBytes,residentBytes,part\n8192,8192,100.0\n";
        String found = "";
        // a kernel that is short of memory forgets what was just written
        for (int tries = 0; tries < 20 && !found.equals(whole); tries++) {
            assertThat(Files.readAllBytes(file)).hasSize(8192);
            found = run("sys pagecache " + file + " -o csv --columns size,resident,part").out();
        }
        assertThat(found).isEqualTo(whole);
        assertThat(run("sys pagecache " + directory.resolve("none")).status()).isEqualTo(3);
        assertThat(run("sys pagecache --drop " + file + " -o csv --columns resident").status()).isZero();
    }

    @Test
    void disks() {
        assertThat(run("iostat --interval 20ms --all --explain -o json").out()).contains("\"verdict\": ");
        assertThat(run("iostat nosuchdisk").status()).isEqualTo(3);
        assertThat(run("iostat --interval 1ms").status()).isEqualTo(2);
    }
}

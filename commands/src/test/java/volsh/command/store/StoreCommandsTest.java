package volsh.command.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;

final class StoreCommandsTest {
    @TempDir
    Path directory;
    private Scratch scratch;
    private Path lake;

    @BeforeEach
    void home() {
        scratch = new Scratch(directory.resolve("home"));
        lake = directory.resolve("lake");
    }

    private Ended ok(String line) {
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    @Test
    void aStoreIsNamedUsedAndForgotten() {
        assertThat(ok("store add lake file://" + lake + " -n").out()).contains("add", "store 'lake'");
        assertThat(ok("store list -o name").out()).isEqualTo("default\n");
        assertThat(ok("store add lake file://" + lake).err())
                .isEqualTo("added store 'lake'; to test it: volsh store probe lake\n");
        assertThat(ok("store ls --columns name,url -o csv").out())
                .contains("lake,file://" + lake + "\n", "default,file://");
        ok("volume create a --store lake");
        assertThat(ok("store show lake").out()).contains("volumes  a\n").doesNotContain("objects");
        assertThat(ok("store show lake --count -o json").out())
                .contains("\"volumes\": [", "\"a\"", "\"objects\": 1", "\"storedBytes\": 36");
        Ended used = scratch.run("store remove lake");
        assertThat(used.status()).isEqualTo(5);
        assertThat(used.err()).contains("store 'lake' is used by volume 'a'", "hint: volsh volume show a");
        ok("volume destroy a --confirm a");
        assertThat(ok("store remove lake -n").out()).contains("remove");
        assertThat(ok("store remove lake -o json").out()).contains("\"name\": \"lake\"");
        assertThat(ok("store list -o name").out()).isEqualTo("default\n");
        assertThat(lake).isEmptyDirectory();
    }

    @Test
    void probeTellsTimesAndLeavesNothing() {
        ok("store add lake file://" + lake);
        assertThat(ok("store probe lake --count 2 -n").out()).contains("put", "2 objects of 256KiB", "delete");
        assertThat(lake).isEmptyDirectory();
        Ended probed = ok("store probe lake --size 8KiB --count 3 -o csv --columns operation,requests,size");
        assertThat(probed.out()).isEqualTo(
                "operation,requests,sizeBytes\nput,3,8192\nget,3,8192\nrange,3,4096\nlist,3,\ndelete,3,\n");
        assertThat(probed.err()).contains("every byte read matches");
        assertThat(ok("store probe lake --count 1").out()).contains("LATENCY", "RATE", "B/s");
        assertThat(lake).isEmptyDirectory();
    }

    @Test
    void probeFailsWithTheReasonAndCleansUp() throws Exception {
        ok("store add lake file://" + lake);
        Files.delete(lake);
        Files.writeString(lake, "in the way");
        Ended blocked = scratch.run("store probe lake");
        assertThat(blocked.status()).as(blocked.err()).isEqualTo(6);
        assertThat(blocked.err()).contains("store 'lake' failed to put", "cause:", lake.toString());
        ok("store add flaky 'file://" + directory.resolve("flaky") + "?errors=50%&seed=7'");
        Ended flaky = scratch.run("store probe flaky --count 200 --size 1KiB");
        assertThat(flaky.status()).as(flaky.err()).isEqualTo(6);
    }

    @Test
    void theDefaultStoreIsAlwaysThere() {
        assertThat(scratch.run("store remove default").status()).isEqualTo(2);
        ok("volume create a");
        assertThat(scratch.run("store add default file://" + lake).status()).as("it would hide the blocks of a")
                .isEqualTo(4);
        ok("volume destroy a --confirm a");
        ok("store add default file://" + lake);
        ok("volume create b");
        assertThat(lake).isNotEmptyDirectory();
        assertThat(scratch.run("store remove default").status()).isEqualTo(5);
    }

    @Test
    void memoryStoresAreWarnedAbout() {
        assertThat(ok("store add m mem://m").err()).contains("warning: a mem:// store loses all data");
    }
}

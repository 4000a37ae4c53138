package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.command.tree.Scratch;

/**
 * Commands on disks that are full or read-only: what needs space ends with 8 and says which disk to look at, what reads
 * works, what frees space works, and all of it works again when there is space. Nothing half-made is left.
 */
@Timeout(150)
final class FullDiskCommandsTest {
    /** Need the home only to be read. */
    private static final List<String> READING = List.of("ls data:/d", "cat data:/d/small", "stat data:/d/large",
            "find data:/", "du data:/", "df", "volume list", "volume show data", "store list", "mounts list",
            "job list", "events", "history data:/d/small", "checkpoint list data", "snapshot list data",
            "mounts recover", "get data:/d/large LOCAL/copy");
    /** Need space of the home. */
    private static final List<String> WRITING = List.of("put LOCAL/file data:/put", "volume create other --store s1",
            "checkpoint save data --run r --step 2 --from LOCAL/model", "volume check data", "volume dump data "
                    + "LOCAL/dump", "job start ls data:/", "store add s2 file://LOCAL/store2", "context set lab");

    @TempDir
    Path directory;
    private Path local;

    @BeforeEach
    void files() throws IOException {
        local = Files.createDirectory(directory.resolve("local"));
        Files.write(local.resolve("file"), random(3 << 20));
        Files.write(local.resolve("tiny"), random(1000));
        Files.write(Files.createDirectory(local.resolve("model")).resolve("weights"), random(2 << 20));
    }

    private static byte[] random(int size) {
        var bytes = new byte[size];
        new SplittableRandom(size).nextBytes(bytes);
        return bytes;
    }

    private String line(String line) {
        return line.replace("LOCAL", local.toString());
    }

    private Scratch home(Path home, Path store) {
        var scratch = new Scratch(home);
        scratch.ok("store add s1 file://" + store);
        scratch.ok("volume create data --store s1 --block-size 1MiB");
        scratch.ok("mkdir data:/d");
        scratch.ok(line("put LOCAL/file data:/d/large"));
        scratch.ok(line("put LOCAL/tiny data:/d/small"));
        scratch.ok(line("checkpoint save data --run r --step 1 --from LOCAL/model"));
        return scratch;
    }

    /** Ends with 8, says that a disk is full, and gives a hint that works when it is pasted. */
    private void noSpace(Scratch scratch, String line) throws IOException, InterruptedException {
        told(scratch, line, 8, "(?i)no space left|not enough space");
    }

    private Callable<Void> noSpaceLater(Scratch scratch, String line) {
        return () -> {
            noSpace(scratch, line);
            return null;
        };
    }

    private void told(Scratch scratch, String line, int status, String words) throws IOException, InterruptedException {
        var ended = scratch.run(line(line));
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        assertThat(ended.err()).as(line).containsPattern(words).doesNotContain("internal error", ".put-");
        var hint = ended.err().lines().filter(each -> each.startsWith("hint: ")).findFirst();
        assertThat(hint).as(line + "\n" + ended.err()).isPresent();
        var pasted = new ProcessBuilder("sh", "-c", hint.get().substring(6)).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        assertThat(pasted.waitFor()).as(hint.get()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFullHome(boolean inodes) throws Exception {
        var small = directory.resolve("disk");
        try (var disk = inodes ? SmallDisk.mountInodes(small, 16, 400) : SmallDisk.mount(small, 6)) {
            var scratch = home(small.resolve("home"), directory.resolve("store"));
            disk.fill();
            for (var line : READING) {
                // SQLite needs two files to be opened: without inodes not even reading works where nothing is mounted
                if (inodes) {
                    assertThat(scratch.run(line(line)).status()).as(line).isIn(0, 8, 10);
                } else {
                    scratch.ok(line(line));
                }
            }
            for (var line : WRITING) {
                disk.fill();
                noSpace(scratch, line);
            }
            disk.fill();
            if (!inodes) {
                assertThat(scratch.run("status").status()).isEqualTo(8);
                scratch.ok("rm -y data:/d/small");
            }
            disk.free();
            for (var line : WRITING) {
                if (!line.startsWith("job")) {   // there is no program to be started
                    scratch.ok(line(line));
                }
            }
            scratch.ok("status");
            scratch.ok("volume check data --deep");
            assertThat(scratch.ok("ls data:/d -o name").out()).contains("large")
                    .doesNotContain(inodes ? "put" : "small");
        }
    }

    @Test
    void aFullStore() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 16); var threads = Executors.newCachedThreadPool()) {
            var scratch = home(directory.resolve("home"), disk.directory().resolve("store"));
            disk.fill();
            for (var line : READING) {
                scratch.ok(line(line));
            }
            Files.write(local.resolve("model/weights"), random(3 << 19));
            for (var done : threads.invokeAll(List.of(   // each waits for seconds, whether something is given back
                    noSpaceLater(scratch, "put LOCAL/file data:/put"),
                    noSpaceLater(scratch, "checkpoint save data --run r --step 2 --from LOCAL/model")))) {
                done.get();
            }
            scratch.ok(line("put LOCAL/tiny data:/tiny"));
            assertThat(scratch.run("ls data:/put").status()).as("nothing half-made").isEqualTo(3);
            assertThat(scratch.ok("checkpoint list data -o value:step").out().trim()).isEqualTo("1");
            scratch.ok("rm -y data:/d/large");
            disk.free();
            scratch.ok(line("put LOCAL/file data:/put"));
            scratch.ok(line("checkpoint save data --run r --step 2 --from LOCAL/model"));
            scratch.ok("volume gc data --delete --age 0s");
            scratch.ok("volume check data --deep");
        }
    }

    /** One of two stores is full: what can be healed is, and the rest is told of. */
    @Test
    void healingOntoAFullStore() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 8)) {
            var scratch = new Scratch(directory.resolve("home"));
            scratch.ok("store add s1 file://" + directory.resolve("s1"));
            scratch.ok("store add s2 file://" + disk.directory().resolve("s2"));
            scratch.ok("volume create data --store s1,s2 --mirror 2 --block-size 1MiB");
            scratch.ok(line("put LOCAL/file data:/kept"));
            disk.fill();
            scratch.run(line("put LOCAL/file data:/second"));
            var healed = scratch.run("heal data");
            assertThat(healed.status()).as(healed.out() + healed.err()).isEqualTo(8);
            assertThat(healed.err()).containsPattern("(?i)no space left|not enough space")
                    .doesNotContain("internal error");
            disk.free();
            scratch.ok("heal data");
            scratch.ok("volume check data --deep");
        }
    }

    /** The disk that a command writes to beside the home and the store. */
    @Test
    void aFullTarget() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 2)) {
            var scratch = home(directory.resolve("home"), directory.resolve("store"));
            var before = Files.writeString(disk.directory().resolve("kept"), "before");
            for (var line : List.of("get data:/d/large DISK/copy", "get data:/d/large DISK/kept",
                    "get -r data:/d DISK/tree", "cp data:/d/large DISK/copy", "volume dump data DISK/dump",
                    "checkpoint restore data --run r --to DISK/restored")) {
                disk.fill();
                noSpace(scratch, line.replace("DISK", disk.directory().toString()));
                disk.free();
            }
            assertThat(before).as("the file that was there").hasContent("before");
            try (var names = Files.list(disk.directory())) {
                assertThat(names.map(path -> path.getFileName().toString())
                        .filter(name -> !name.startsWith(".restored-restoring-")))
                        .as("nothing half-made but what the next restore goes on with").isSubsetOf("kept", "tree");
            }
        }
    }

    @Test
    void aReadOnlyHomeAndStore() throws Exception {
        try (var homes = SmallDisk.mount(directory.resolve("homes"), 16);
                var stores = SmallDisk.mount(directory.resolve("stores"), 16)) {
            var scratch = home(homes.directory().resolve("home"), stores.directory().resolve("store"));
            stores.makeReadOnly();
            scratch.ok("cat data:/d/small");
            scratch.ok(line("get data:/d/large LOCAL/copy"));
            told(scratch, "put LOCAL/file data:/put", 9, "Read-only file system");
            homes.makeReadOnly();
            told(scratch, "put LOCAL/tiny data:/put", 9, "(?i)read-only|cannot be written");
            told(scratch, "volume create other --store s1", 9, "(?i)read-only|cannot be written");
        }
    }
}

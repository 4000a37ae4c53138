package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.HomeProcesses;
import volsh.hang.Eventually;

/** Mounts as a user meets them: a process that starts, answers, ends, and dies. */
final class MountProcessTest {
    private static final int FRAME = 128 << 10;

    @TempDir
    static Path made;
    @TempDir
    Path directory;

    private Path mountPoint;

    /** A home with a volume: made once, then copied. */
    @BeforeAll
    static void volume() throws IOException {
        var environment = Map.of("VOLSH_HOME", made.resolve("home").toString());
        assertThat(Image.built().run(environment, "volume", "create", "data").exit()).isZero();
    }

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        mountPoint = Files.createDirectory(directory.resolve("mount point"));
        program("cp", "-a", made.resolve("home").toString(), directory.toString());
    }

    @AfterEach
    void clean() throws IOException {
        for (var point : mounted()) {
            program("umount", "-l", point);
        }
        HomeProcesses.awaitEnd(directory);
    }

    /** What is mounted below the directory of the test. */
    private List<String> mounted() throws IOException {
        try (var mounts = Files.lines(Path.of("/proc/self/mounts"))) {
            return mounts.map(line -> line.split(" ")[1].replace("\\040", " "))
                    .filter(point -> point.startsWith(directory + "/")).toList();
        }
    }

    private Image.Ran program(String... words) throws IOException {
        return Image.run(Map.of("PATH", "/usr/bin:/bin"), directory, List.of(words));
    }

    private Image.Ran volsh(String... arguments) throws IOException {
        return Image.built().run(Map.of("VOLSH_HOME", directory.resolve("home").toString()), patient(arguments));
    }

    /** On a busy machine a mount may take longer to answer than is usual. */
    private static String[] patient(String... arguments) {
        boolean mounts = arguments[0].equals("mount") && !List.of(arguments).contains("--wait-ready");
        return mounts ? Stream.concat(Stream.of(arguments), Stream.of("--wait-ready", "100s")).toArray(String[]::new)
                : arguments;
    }

    private String pid() throws IOException {
        return volsh("mounts", "list", "-o", "value:pid").out().strip();
    }

    @Test
    void mountsServesAndUnmounts() throws IOException {
        var mounted = volsh("mount", "data", mountPoint.toString());
        assertThat(mounted.exit()).as(mounted.err()).isZero();
        Files.writeString(mountPoint.resolve("hello"), "world");
        assertThat(volsh("ls", "data:/").out()).contains("hello");
        assertThat(volsh("mounts", "stats", mountPoint.toString(), "-o", "json").out()).contains("create");
        assertThat(volsh("mount", "data", mountPoint.toString()).exit()).as("mounted already").isEqualTo(4);
        var ended = volsh("umount", mountPoint.toString());
        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(mountPoint.resolve("hello")).doesNotExist();
        assertThat(volsh("cat", "data:/hello").out()).isEqualTo("world");
        assertThat(volsh("mounts", "list", "-o", "json").out().strip()).isEqualTo("[]");
    }

    @Test
    void mountsThroughLibfuseToo() throws IOException {
        assumeTrue(Files.exists(Path.of("/usr/lib/x86_64-linux-gnu/libfuse.so.2")), "libfuse2 is not installed");
        var mounted = volsh("mount", "data", mountPoint.toString(), "--transport", "jnr", "-o", "value:transport");
        assertThat(mounted.exit()).as(mounted.err()).isZero();
        assertThat(mounted.out().strip()).isEqualTo("jnr");
        Files.writeString(mountPoint.resolve("hello"), "world");
        assertThat(volsh("mounts", "stats", mountPoint.toString(), "-o", "json").out()).contains("fgetattr");
        var ended = volsh("umount", mountPoint.toString());
        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(volsh("cat", "data:/hello").out()).isEqualTo("world");
    }

    /** Which transport's classes a mount has loaded, by its JVM's own log. */
    @Test
    void onlyAMountThroughLibfuseLoadsJnr() throws IOException {
        assumeTrue(Files.exists(Path.of("/usr/lib/x86_64-linux-gnu/libfuse.so.2")), "libfuse2 is not installed");
        assertThat(classesOfAMount("kernel")).contains("volsh.fuse.kernel.KernelMount ")
                .doesNotContain("jnr.ffi.", "ru.serce.", "com.kenai.", "volsh.fuse.jnr.");
        assertThat(classesOfAMount("jnr")).contains("jnr.ffi.", "com.kenai.", "volsh.fuse.jnr.JnrMount ");
    }

    private String classesOfAMount(String transport) throws IOException {
        var log = directory.resolve("classes-" + transport + "-%p.log");
        var environment = Map.of("VOLSH_HOME", directory.resolve("home").toString(), "VOLSH_JAVA_OPTS",
                "-Xlog:class+load:file=" + log);
        assertThat(Image.built().run(environment,
                patient("mount", "data", mountPoint.toString(), "--transport", transport)).exit()).isZero();
        var pid = pid();
        assertThat(volsh("umount", mountPoint.toString()).exit()).isZero();
        return Files.readString(Path.of(log.toString().replace("%p", pid)));
    }

    @Test
    void readOnlyRefusesEveryChange() throws IOException {
        assertThat(volsh("mount", "data", mountPoint.toString(), "--read-only").exit()).isZero();
        var touched = Image.run(Map.of("PATH", "/usr/bin:/bin"), mountPoint, List.of("touch", "new"));
        assertThat(touched.exit()).isNotZero();
        assertThat(touched.err()).contains("Read-only file system");
    }

    @Test
    void aSoleWriterIsAloneAndSaysSo() throws Exception {
        var other = Files.createDirectory(directory.resolve("other"));
        assertThat(volsh("mount", "data", mountPoint.toString(), "--writeback-cache").exit()).isZero();
        assertThat(volsh("mounts", "show", mountPoint.toString()).out()).contains("writeback_cache", "attr_timeout=1h");
        Files.writeString(mountPoint.resolve("closed"), "hello");
        var refused = volsh("mount", "data", other.toString());
        assertThat(refused.exit()).as(refused.err()).isEqualTo(5);
        assertThat(refused.err()).contains("exclusive writer");
        assertThat(volsh("mkdir", "data:/d").exit()).isEqualTo(5);
        assertThat(volsh("cat", "data:/closed").out()).as("readers are welcome").isEqualTo("hello");
        assertThat(volsh("mount", "data", other.toString(), "--read-only").exit()).isZero();
        assertThat(Files.readString(other.resolve("closed"))).isEqualTo("hello");
        var ended = volsh("umount", other.toString());
        assertThat(ended.exit()).as(ended.err()).isZero();
        kill("-KILL", pid());
        var again = volsh("mount", "data", mountPoint.toString(), "--sole-writer");
        assertThat(again.exit()).as("at once after a kill: " + again.err()).isZero();
        assertThat(Files.readString(mountPoint.resolve("closed"))).isEqualTo("hello");
        assertThat(volsh("umount", mountPoint.toString()).exit()).isZero();
        assertThat(volsh("mkdir", "data:/d").exit()).isZero();
    }

    @Test
    void busyMountIsNotTakenAway() throws Exception {
        assertThat(volsh("mount", "data", mountPoint.toString()).exit()).isZero();
        var sleeper = new ProcessBuilder("sleep", "600").directory(mountPoint.toFile()).start();
        try {
            var refused = volsh("umount", mountPoint.toString());
            assertThat(refused.exit()).isEqualTo(5);
            assertThat(refused.err())
                    .contains("in use", "process %d (sleep) works in %s".formatted(sleeper.pid(), mountPoint));
        } finally {
            sleeper.destroyForcibly().waitFor();
        }
        assertThat(volsh("umount", mountPoint.toString()).exit()).isZero();
    }

    /**
     * Nothing is stored by itself here, so everything that was closed is in the journal alone when the mount is killed.
     */
    @Test
    void aKilledMountLeavesAJournalThatTheNextStores() throws Exception {
        assertThat(volsh("mount", "data", mountPoint.toString(), "--writeback", "--upload-delay", "1h").exit())
                .isZero();
        Files.write(mountPoint.resolve("closed"), new byte[300_000]);
        assertThat(volsh("-c", "mounts show '%s' -o value:staged; durability data:/closed -o value:state"
                .formatted(mountPoint)).out()).matches("[1-9].*\nstaged\n");
        kill("-KILL", pid());
        var recovered = volsh("-c", "mounts recover; durability data:/closed -o value:state");
        assertThat(recovered.exit()).as(recovered.err()).isZero();
        assertThat(recovered.out()).endsWith("staged\n");
        assertThat(volsh("cat", "data:/closed").out()).as("read from the journal").hasSize(300_000);
        assertThat(volsh("-c", "cache flush -o csv --columns volume,left; durability data:/closed -o value:state")
                .out()).isEqualTo("volume,leftBytes\ndata,0\nstored\n");
        assertThat(volsh("mount", "data", mountPoint.toString(), "--writeback", "--upload-delay", "1h").exit())
                .isZero();
        Files.write(mountPoint.resolve("more"), new byte[300_000]);
        var ended = volsh("umount", mountPoint.toString());
        assertThat(ended.exit()).as(ended.err()).isZero();
        assertThat(volsh("durability", "data:/", "-o", "value:state").out().strip()).isEqualTo("stored");
    }

    @Test
    void killedMountIsRecoveredAndHasLostNothingClosed() throws Exception {
        assertThat(volsh("mount", "data", mountPoint.toString()).exit()).isZero();
        Files.write(mountPoint.resolve("closed"), new byte[300_000]);
        kill("-KILL", pid());
        assertThat(volsh("mounts", "list", "-o", "value:state").out().strip()).isEqualTo("dead");
        assertThat(volsh("mounts", "recover").exit()).isZero();
        assertThat(mountPoint).isEmptyDirectory();
        assertThat(volsh("mount", "data", mountPoint.toString()).exit()).isZero();
        assertThat(Files.size(mountPoint.resolve("closed"))).isEqualTo(300_000);
    }

    @Test
    void mountOnTopOfADeadOneJustWorks() throws Exception {
        assertThat(volsh("mount", "data", mountPoint.toString()).exit()).isZero();
        kill("-KILL", pid());
        var again = volsh("mount", "data", mountPoint.toString());
        assertThat(again.exit()).as(again.err()).isZero();
        assertThat(mountPoint).isEmptyDirectory();
    }

    @Test
    void aCacheDirectoryOutlivesAKillAndIsLookedAfterWhileInUse() throws Exception {
        var cache = directory.resolve("cache");
        String[] mount = {"mount", "data", mountPoint.toString(), "--cache-memory", "0", "--cache-dir",
                cache.toString(), "--cache-size", "64MiB"};
        var mounted = volsh(mount);
        assertThat(mounted.exit()).as(mounted.err()).isZero();
        var bytes = new byte[3 << 20];
        new SplittableRandom(1).nextBytes(bytes);
        Files.write(mountPoint.resolve("f"), bytes);
        assertThat(volsh("mounts", "flush", mountPoint.toString()).exit()).isZero();
        Eventually.value("it is kept", () -> status("frames"), frames -> frames >= bytes.length / FRAME);
        var other = Files.createDirectory(directory.resolve("other"));
        var second = volsh("mount", "data", other.toString(), "--read-only", "--cache-dir", cache.toString());
        assertThat(second.exit()).isEqualTo(5);
        assertThat(second.err()).contains("in use by another mount of this volume, process " + pid());
        kill("-KILL", pid());
        assertThat(volsh(mount).exit()).isZero();
        assertThat(Files.readAllBytes(mountPoint.resolve("f"))).isEqualTo(bytes);
        var used = volsh("-c", "mounts stats '%s'; cache status data -o value:hits; cache status data -o value:misses"
                .formatted(mountPoint));
        assertThat(used.out()).as(used.err()).contains("disk " + cache + " hit").containsPattern("\n[1-9]\\d*\n0\n$");
        var emptied = volsh("-c", "cache verify; cache evict data; cache status data -o value:blocks");
        assertThat(emptied.exit()).as(emptied.err()).isZero();
        assertThat(emptied.out()).endsWith("\n0\n");
        var inside = volsh("mount", "data", other.toString(), "--cache-dir", mountPoint.resolve("c").toString());
        assertThat(inside.exit()).isEqualTo(2);
        assertThat(inside.err()).contains("is on a volsh mount");
    }

    private long status(String column) throws IOException {
        return Long.parseLong(volsh("cache", "status", "data", "-o", "value:" + column).out().strip());
    }

    @Test
    void terminationWritesEverythingOut() throws Exception {
        assertThat(volsh("mount", "data", mountPoint.toString()).exit()).isZero();
        var pid = pid();
        try (var open = Files.newOutputStream(mountPoint.resolve("open"))) {
            open.write(new byte[100_000]);
            kill("-TERM", pid);
            awaitEnd(pid);
        } catch (IOException expected) {
            // the mount went away under the open file
        }
        assertThat(volsh("stat", "data:/open", "-o", "value:size").out().strip()).isEqualTo("100000");
        assertThat(volsh("mounts", "list", "-o", "json").out().strip()).isEqualTo("[]");
    }

    /** In one script, which stops at the first that fails. */
    @Test
    void everyExampleOfTheHelpRuns() throws IOException {
        for (var name : List.of("data", "dataset", "shared", "v1")) {
            Files.createDirectories(mountPoint.resolve(name));
        }
        var commands = List.of("mount", "mounts list", "mounts show", "mounts stats", "mounts flush", "mounts recover",
                "umount");
        var help = volsh("-c", "help " + String.join("; help ", commands)).out().lines().map(String::strip).distinct()
                .filter(line -> !line.contains("OPTION") && !line.contains(" --at ")
                        && !line.contains("://")).toList();
        var script = new ArrayList<>(List.of("mkdir data:/dataset", "volume rename data training-data",
                "snapshot create training-data@v1"));
        for (var command : commands) {
            var examples = help.stream().filter(line -> (line + " ").startsWith("volsh " + command + " ")).toList();
            assertThat(examples).as(command).isNotEmpty();
            for (var example : examples) {
                if (command.equals("umount")) {   // the one before may have ended it
                    script.add("mount training-data /mnt/data --ensure --wait-ready 100s");
                }
                script.add(example.substring("volsh ".length())
                        + (command.equals("mount") ? " --wait-ready 100s" : ""));
            }
        }
        script.replaceAll(line -> line.replace("/mnt", mountPoint.toString().replace(" ", "\\ ")));
        var ran = volsh("run", Files.write(directory.resolve("examples.volsh"), script).toString());
        assertThat(ran.exit()).as(ran.out() + ran.err()).isZero();
        assertThat(ran.out()).contains(mountPoint.resolve("v1").toString());
    }

    @Test
    void wrongRequestsSayWhatIsWrong() throws IOException {
        assertThat(volsh("mount", "nothing", mountPoint.toString()).exit()).isEqualTo(3);
        assertThat(volsh("mount", "data", directory.resolve("missing").toString()).exit()).isEqualTo(3);
        assertThat(volsh("mount", "data:/missing", mountPoint.toString()).exit()).isEqualTo(3);
        assertThat(volsh("mount", "data", mountPoint.toString(), "--options=relatime").exit()).isEqualTo(2);
        assertThat(volsh("umount", mountPoint.toString()).exit()).isEqualTo(3);
        assertThat(volsh("umount").exit()).isEqualTo(2);
    }

    private static void kill(String signal, String pid) throws Exception {
        assertThat(new ProcessBuilder("kill", signal, pid).start().waitFor()).isZero();
        awaitEnd(pid);
    }

    static void awaitEnd(String pid) {
        Eventually.holds("process %s has ended".formatted(pid), () -> !isAlive(pid));
    }

    private static boolean isAlive(String pid) {
        try {
            var stat = Files.readString(Path.of("/proc", pid, "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException gone) {
            return false;
        }
    }
}

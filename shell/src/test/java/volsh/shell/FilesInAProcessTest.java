package volsh.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.hang.Eventually;

/** Files through the program as users start it: pipes, signals and permissions. */
@Timeout(300)
final class FilesInAProcessTest {
    private static final int MEGABYTE = 1 << 20;

    @TempDir
    Path directory;

    @BeforeEach
    void volume() throws Exception {
        assertThat(Program.run(volsh("volume", "create", "data")).status()).isZero();
    }

    private ProcessBuilder volsh(String... words) {
        var builder = Program.of(Main.class, words);
        builder.environment().put("VOLSH_HOME", directory.resolve("home").toString());
        return builder;
    }

    private Path noise(String name, int megabytes) throws IOException {
        byte[] bytes = new byte[MEGABYTE];
        var random = new Random(megabytes);
        try (var out = Files.newOutputStream(directory.resolve(name))) {
            for (int i = 0; i < megabytes; i++) {
                random.nextBytes(bytes);
                out.write(bytes);
            }
        }
        return directory.resolve(name);
    }

    private String list() throws Exception {
        return Program.run(volsh("ls", "-a", "data:/")).out();
    }

    @Test
    void aStreamGoesInAndComesOut() throws Exception {
        var source = noise("source", 20);
        var put = volsh("put", "-", "data:/stream").redirectInput(source.toFile()).start();
        assertThat(Program.end(put).status()).isZero();
        var out = directory.resolve("out");
        assertThat(volsh("get", "data:/stream", "-").redirectOutput(out.toFile()).start().waitFor()).isZero();
        assertThat(out).hasSameBinaryContentAs(source);
        Files.delete(out);
        assertThat(volsh("cat", "data:/stream").redirectOutput(out.toFile()).start().waitFor()).isZero();
        assertThat(out).hasSameBinaryContentAs(source);
    }

    @Test
    void aReaderMayLeaveEarly() throws Exception {
        Program.run(volsh("put", noise("source", 20).toString(), "data:/big"));
        for (var words : List.of(new String[] {"cat", "data:/big"}, new String[] {"get", "data:/big", "-"})) {
            var process = volsh(words).start();
            assertThat(process.getInputStream().readNBytes(100)).hasSize(100);
            process.getInputStream().close();
            var err = new String(process.getErrorStream().readAllBytes());
            assertThat(process.waitFor()).as(err).isEqualTo(141);
            assertThat(err).isEmpty();
        }
    }

    @Test
    void aFullDiskIsNotABrokenPipe() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")));
        Program.run(volsh("put", noise("source", 2).toString(), "data:/big"));
        var process = volsh("cat", "data:/big").redirectOutput(Path.of("/dev/full").toFile()).start();
        var err = new String(process.getErrorStream().readAllBytes());
        assertThat(process.waitFor()).as(err).isEqualTo(8);
        assertThat(err).contains("No space left on device");
    }

    @Test
    void ctrlCWhileAPipeIsReadLeavesNothing() throws Exception {
        var process = volsh("put", "-", "data:/half").start();
        try (OutputStream in = process.getOutputStream()) {
            byte[] bytes = new byte[9 * MEGABYTE];
            new SplittableRandom(1).nextBytes(bytes);
            in.write(bytes);
            in.flush();
            Program.signal(process, "INT");
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } catch (IOException brokenPipe) {
            // it is gone, as it should be
        }
        assertThat(process.exitValue()).isEqualTo(130);
        assertThat(list()).isEmpty();
        assertThat(blocks()).isZero();
    }

    private long blocks() throws IOException {
        try (var found = Files.walk(directory.resolve("home/state/blocks"))) {
            return found.filter(path -> Files.isRegularFile(path) && !path.endsWith("owner")).count();
        }
    }

    @Test
    void ctrlCInTheMiddleOfAGetLeavesNoTemporaryFile() throws Exception {
        var slow = "file://" + directory.resolve("slow") + "?bandwidth=8MiB/s";
        assertThat(Program.run(volsh("store", "add", "slow", slow)).status()).isZero();
        assertThat(Program.run(volsh("volume", "create", "lazy", "--store", "slow")).status()).isZero();
        assertThat(Program.run(volsh("put", noise("source", 20).toString(), "lazy:/big")).status()).isZero();
        // slower still: a busy machine may take seconds to look at what it does
        var entry = directory.resolve("home/state/catalog/stores/slow.json");
        var fast = Files.readString(entry);
        assertThat(fast).contains("bandwidth=8MiB");
        // as an earlier version would write it
        Files.writeString(entry,
                fast.replace("bandwidth=8MiB", "bandwidth=1MiB").replaceFirst(",\\s*\"sum\"\\s*:\\s*\"\\w+\"", ""));
        var out = Files.createDirectory(directory.resolve("out"));
        var process = volsh("get", "lazy:/big", out.resolve("big").toString()).redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD).start();
        Eventually.holds("a file is there, or it has ended",
                () -> !process.isAlive() || out.toFile().list().length > 0);
        assertThat(out.toFile().list()).as("it is under way").hasSize(1).doesNotContain("big");
        Program.signal(process, "INT");
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(130);
        assertThat(out.toFile().list()).isEmpty();
    }

    @Test
    void unreadableFilesAreToldAndTheRestIsCopied() throws Exception {
        var tree = Files.createDirectory(directory.resolve("tree"));
        Files.writeString(tree.resolve("good"), "good");
        Files.setPosixFilePermissions(Files.writeString(tree.resolve("secret"), "x"),
                PosixFilePermissions.fromString("---------"));
        Files.setPosixFilePermissions(Files.createDirectory(tree.resolve("closed")),
                PosixFilePermissions.fromString("---------"));
        var builder = volsh("put", "-r", tree.toString(), "data:/");
        if (ProcessOwner.read().uid() == 0) {   // whom permissions do not bind, unless it gives up that right
            var bound = List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search");
            assumeTrue(new ProcessBuilder(bound.get(0), bound.get(1), "true").start().waitFor() == 0,
                    "root cannot give up its rights here");
            builder.command().addAll(0, bound);
        }
        var ended = Program.run(builder);
        assertThat(ended.status()).as(ended.err()).isEqualTo(10);
        assertThat(ended.err())
                .contains(tree.resolve("secret") + ": permission denied",
                tree.resolve("closed") + ": permission denied", "2 files failed");
        assertThat(Program.run(volsh("ls", "data:/tree")).out()).isEqualTo("closed\ngood\n");
        Files.setPosixFilePermissions(tree.resolve("closed"), PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void whatPutSaysIsDoneIsSynced() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/strace")));
        var trace = directory.resolve("trace");
        var builder = volsh("put", noise("source", 5).toString(), "data:/big");
        builder.command()
                .addAll(0, List.of("strace", "-f", "-o", trace.toString(), "-e",
                "trace=fsync,fdatasync,rename,renameat,renameat2,write"));
        var ended = Program.run(builder);
        assumeTrue(!ended.err().contains("strace:"), "processes cannot be traced here");
        assertThat(ended.status()).as(ended.err()).isZero();
        var calls = Files.readAllLines(trace);
        int told = index(calls, "put 1 file");
        var before = calls.subList(0, told);
        assertThat(before.stream().filter(line -> line.contains("fdatasync(")).count())
                .as("two blocks and the metadata").isGreaterThanOrEqualTo(3);
        assertThat(before.stream().filter(line -> line.contains(" fsync(")).count()).as("directories of the blocks")
                .isGreaterThanOrEqualTo(2);
    }

    private static int index(List<String> lines, String text) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains(text)) {
                return i;
            }
        }
        throw new AssertionError("not traced: " + text);
    }
}

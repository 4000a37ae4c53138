package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.command.mount.SmallDisk;
import volsh.command.tree.Scratch.Ended;
import volsh.disk.LocalTrees;
import volsh.hang.Eventually;
import volsh.s3test.Fault;
import volsh.s3test.FaultProxy;
import volsh.s3test.Faults;
import volsh.s3test.S3Server;

/**
 * Targets that are full, cannot be written or go away, connections that are cut, names that fit nowhere, data that is
 * damaged: a line that names the object and the reason, the right exit code, and nothing half written.
 */
@Tag("volume")
@Tag("data")
final class TransferTroubleTest {
    private static final int BIG = (6 << 20) + 17;

    @TempDir
    Path directory;
    private FileHome home;
    private FaultProxy proxy;
    private String bucket;
    private String options;

    @BeforeEach
    void prepare() throws Exception {
        var server = S3Server.shared();
        proxy = new FaultProxy(server.port(), new Faults(0, EnumSet.noneOf(Fault.class), 1));
        home = new FileHome(directory);
        bucket = "s3://" + server.newBucket();
        options = " --anonymous --endpoint " + proxy.endpoint() + " --timeout 5s";
        home.file("from/big", BIG);
        home.text("from/small", "small");
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
    }

    private String line(String line) {
        return line.replace("BUCKET", bucket) + (line.contains("BUCKET") ? options : "");
    }

    private static List<String> names(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"get BUCKET/tree/big @disk/x", "get -r BUCKET/tree @disk/x", "sync BUCKET/tree @disk/x",
            "get BUCKET/tree/big @disk/x --part 5MiB", "cp BUCKET/tree/big @disk/x --part 5MiB --checksum",
            "sync data:/tree @disk/x --part 5MiB", "stage data:/tree @disk/x"})
    void aFullDisk(String line) throws Exception {
        home.succeed(line("put -r @from BUCKET/tree"));
        home.succeed("put -r @from data:/tree");
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 4)) {
            var ended = home.run(line(line));
            assertThat(ended.status()).as(ended.err()).isEqualTo(8);
            assertThat(ended.err()).containsPattern("(?i)no space left|not enough space").contains("disk/x")
                    .doesNotContain("Exception");
            assertThat(names(disk.directory())).isSubsetOf("small");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"get BUCKET/tree/big @disk/x", "sync BUCKET/tree @disk/x", "sync data:/tree @disk/x"})
    void aTargetThatCannotBeWritten(String line) throws Exception {
        home.succeed(line("put -r @from BUCKET/tree"));
        home.succeed("put -r @from data:/tree");
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 4)) {
            disk.makeReadOnly();
            var ended = home.run(line(line));
            assertThat(ended.status()).as(ended.err()).isEqualTo(9);
            assertThat(ended.err()).containsIgnoringCase("read-only file system").contains("disk/x")
                    .doesNotContain("Exception");
            assertThat(names(disk.directory())).isEmpty();
        }
    }

    /** Runs a line while the test does something to it. */
    private FutureTask<Ended> started(String line) {
        var task = new FutureTask<Ended>((Callable<Ended>) () -> home.run(line(line)));
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private void awaitTemporary(Path target) throws IOException {
        Eventually.holds("a file is being written below " + target, () -> {
            try {
                return Files.isDirectory(target)
                        && names(target).stream().anyMatch(name -> name.startsWith(".volsh-"));
            } catch (UncheckedIOException | IOException changing) {
                return false;
            }
        });
    }

    @Test
    void aTargetThatGoesAway() throws Exception {
        home.succeed(line("put -r @from BUCKET/tree"));
        var running = started("sync BUCKET/tree @to --limit 4MB/s");
        awaitTemporary(home.local("to"));
        LocalTrees.remove(home.local("to"));
        var ended = running.get();
        assertThat(ended.status()).as(ended.err()).isIn(3, 10);
        assertThat(ended.err()).contains("to/big").contains("no such file").doesNotContain("Exception");
        home.succeed(line("sync BUCKET/tree @to"));
        assertThat(names(home.local("to"))).containsExactly("big", "small");
    }

    @ParameterizedTest
    @CsvSource({"get -r BUCKET/tree @to --limit 3MB/s --part 5MiB", "sync BUCKET/tree @to --limit 3MB/s --part 5MiB"})
    void aConnectionThatIsCut(String line) throws Exception {
        home.succeed(line("put -r @from BUCKET/tree"));
        var running = started(line);
        awaitTemporary(home.local("to"));
        proxy.setDown(true);
        var ended = running.get();
        assertThat(ended.status()).as(ended.err()).isEqualTo(6);
        assertThat(ended.err()).contains(bucket).doesNotContain("Exception");
        assertThat(home.local("to/big")).doesNotExist();
        proxy.setDown(false);
        home.succeed(line("sync BUCKET/tree @to --part 5MiB"));
        assertThat(home.local("to/big")).hasSameBinaryContentAs(home.local("from/big"));
        assertThat(names(home.local("to"))).containsExactly("big", "small");
    }

    @Test
    void aConnectionThatIsCutWhileWriting() throws Exception {
        var running = started("sync @from BUCKET/tree --limit 3MB/s --part 5MiB");
        Eventually.holds("an upload has begun", () -> proxy.requests() > 3);
        proxy.setDown(true);
        var ended = running.get();
        assertThat(ended.status()).as(ended.err()).isEqualTo(6);
        assertThat(ended.err()).contains(bucket).doesNotContain("Exception");
        proxy.setDown(false);
        assertThat(home.run(line("stat BUCKET/tree/big")).status()).isEqualTo(3);
        home.succeed(line("sync @from BUCKET/tree --part 5MiB"));
        assertThat(home.succeed(line("store abort-uploads BUCKET/ --older-than 0s -n")).out()).isEmpty();
        home.succeed(line("get BUCKET/tree/big @back"));
        assertThat(home.local("back")).hasSameBinaryContentAs(home.local("from/big"));
    }

    @ParameterizedTest
    @CsvSource({"ls BUCKET/ --profile no-such-profile, 9, no-such-profile",
            "put @from/small BUCKET/x --profile no-such-profile, 9, no-such-profile",
            "get BUCKET/x @x --endpoint http://127.0.0.1:1, 6, 127.0.0.1:1",
            "put @from/small s3://no-such-bucket-anywhere/x, 3, no-such-bucket-anywhere",
            "sync @from s3://no-such-bucket-anywhere/x, 3, no-such-bucket-anywhere"})
    void whatCannotBeReached(String line, int status, String words) {
        String base = line.contains("--endpoint") ? " --timeout 1s" : line.contains("--profile")
                ? options.replace(" --anonymous", "") : options;
        home.refused(line.replace("BUCKET", bucket) + base + (line.contains("--endpoint") ? " --anonymous" : ""),
                status, words);
        assertThat(home.local("x")).doesNotExist();
    }

    @Test
    void namesThatABucketCannotHold() throws Exception {
        var made = new ProcessBuilder("sh", "-c", "printf x > \"$(printf 'from/bad\\377name')\"")
                .directory(directory.toFile()).start().waitFor();
        assertThat(made).isZero();
        var deep = home.local("from");
        for (int i = 0; i < 5; i++) {
            deep = Files.createDirectory(deep.resolve("d".repeat(250)));
        }
        Files.writeString(deep.resolve("f"), "x");
        for (String verb : List.of("put -r @from/. BUCKET/tree", "sync @from BUCKET/tree")) {
            var ended = home.run(line(verb));
            assertThat(ended.status()).as(ended.err()).isEqualTo(10);
            assertThat(ended.err()).contains("a key is text in UTF-8", "a key has at most 1024 bytes")
                    .doesNotContain("Exception");
        }
        assertThat(home.succeed(line("find BUCKET/tree --type f -o value:path")).out().lines())
                .containsExactlyInAnyOrder(bucket + "/tree/big", bucket + "/tree/small");
    }

    /** The other files are copied, and the exit code tells of the damage. */
    @ParameterizedTest
    @ValueSource(strings = {"sync data:/tree BUCKET/tree", "sync data:/tree @to", "stage data:/tree @to"})
    void damagedDataIsAnErrorAndNeverCopied(String line) throws Exception {
        home.succeed("put -r @from data:/tree");
        home.blocks(block -> flip(block));
        var ended = home.run(line(line));
        assertThat(ended.status()).as(ended.err()).isEqualTo(7);
        assertThat(ended.err()).contains("data:/tree/big").contains("checksum mismatch").doesNotContain("Exception");
        String target = line(line).split(" ")[2];
        assertThat(home.run("stat " + target + "/big" + (target.startsWith("s3") ? options : "")).status())
                .isEqualTo(3);
        if (!target.startsWith("s3")) {
            assertThat(names(home.local("to"))).isSubsetOf("small");
        }
    }

    private static void flip(Path block) {
        try {
            byte[] bytes = Files.readAllBytes(block);
            bytes[bytes.length / 2] ^= 1;
            Files.write(block, bytes);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    void keysWithControlCharactersComeBackAsTheyAre() throws Exception {
        var strange = home.local("from").resolve("x\tb\u001b[31mc");
        Files.writeString(strange, "x", StandardCharsets.UTF_8);
        var put = home.succeed(line("sync @from BUCKET/tree -v"));
        assertThat(put.out() + put.err()).doesNotContain("\u001b[31m");
        home.succeed(line("sync BUCKET/tree @to"));
        assertThat(home.local("to").resolve("x\tb\u001b[31mc")).hasContent("x");
        assertThat(home.succeed(line("sync BUCKET/tree @to -n")).out()).isEmpty();
    }
}

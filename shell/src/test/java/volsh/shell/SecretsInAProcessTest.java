package volsh.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What others on the host can see of a mount's process, and a home that others could change. */
@Timeout(180)
final class SecretsInAProcessTest {
    @TempDir
    Path directory;

    private Program.Ended run(String... words) throws Exception {
        var command = new ArrayList<>(List.of("/bin/sh", "-c", "umask 000; exec \"$@\"", "sh"));
        command.addAll(Program.of(Main.class, words).command());
        var builder = new ProcessBuilder(command);
        builder.environment().putAll(Map.of("VOLSH_HOME", directory.resolve("home").toString(), "AWS_ACCESS_KEY_ID",
                "id1", "AWS_SECRET_ACCESS_KEY", "open-sesame", "PGPASSWORD", "open-sesame-2"));
        return Program.run(builder);
    }

    private Program.Ended succeed(String... words) throws Exception {
        var ended = run(words);
        assertThat(ended.status()).as(List.of(words) + "\n" + ended.err()).isZero();
        return ended;
    }

    @Test
    void aMountHasNoSecretsInItsEnvironmentAndALogOfItsOwn() throws Exception {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "mounting needs /dev/fuse");
        var point = Files.createDirectory(directory.resolve("mnt"));
        succeed("volume", "create", "data");
        succeed("mount", "data", point.toString());
        try {
            var pid = succeed("mounts", "list", "-o", "value:pid").out().strip();
            assertThat(Files.readString(Path.of("/proc", pid, "environ"))).contains("VOLSH_HOME=")
                    .doesNotContain("sesame").doesNotContain("AWS_ACCESS_KEY_ID");
            try (var logs = Files.list(directory.resolve("home/state/logs"))) {
                assertThat(logs.toList()).hasSize(1).allSatisfy(log ->
                        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(log)))
                                .isEqualTo("rw-------"));
            }
            try (var all = Files.walk(directory.resolve("home"))) {
                assertThat(all.filter(path -> !Files.isSymbolicLink(path)).toList()).allSatisfy(path -> assertThat(
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(path))).as(path.toString())
                        .matches("...---.*---|...---...|...------"));
            }
        } finally {
            succeed("umount", point.toString());
        }
    }

    @Test
    void aHomeThatOthersCouldChangeIsNotUsed() throws Exception {
        succeed("volume", "create", "data");
        Files.setPosixFilePermissions(directory.resolve("home"), PosixFilePermissions.fromString("rwxrwxrwx"));
        var refused = run("volume", "list");
        assertThat(refused.status()).isEqualTo(9);
        assertThat(refused.err()).contains("the home cannot be trusted: ", "it is world-writable",
                "hint: chmod go-w " + directory.resolve("home"));
        assertThat(run("version").status()).as("what needs no home").isZero();
    }

    @Test
    void whatCanNeverWorkIsRefused() throws Exception {
        succeed("store", "add", "m", "mem://m");
        var refused = run("volume", "create", "v", "--store", "m");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("cannot create a volume in store 'm' (mem://m)");
        assertThat(run("-c", "volume create v --store m; put %s v:/f; cat v:/f"
                .formatted(Files.writeString(directory.resolve("f"), "text"))).out())
                .as("in one process it works").endsWith("text");
        var mount = run("mount", "v", Files.createDirectory(directory.resolve("m")).toString());
        assertThat(mount.status()).isEqualTo(2);
        assertThat(mount.err()).contains("cannot mount volume 'v': its store 'm', mem://m, exists only in the memory");
        var url = run("mkdir", "s3://train/x");
        assertThat(url.status()).isEqualTo(3);
        assertThat(url.err()).contains("no such volume: 's3'; here a path",
                "hint: volsh store add lake s3://bucket/prefix", "hint: volsh volume create data --store lake");
    }
}

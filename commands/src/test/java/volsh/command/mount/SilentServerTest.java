package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;
import volsh.postgrestest.PostgresServer;

/**
 * PostgreSQL whose processes are stopped: the kernel takes connections and nothing answers. Every command ends with a
 * word, and there is a way out.
 */
@Timeout(300)
@EnabledIfSystemProperty(named = "volsh.long", matches = "true",
        disabledReason = "half a minute of waiting: SilentDatabaseTest has the limits, this has the commands")
final class SilentServerTest {
    @TempDir
    Path directory;

    @Test
    void everyCommandEndsAndDiscardingNeedsNoDatabase() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        var point = directory.resolve("mnt");
        scratch.ok("store add s1 file://" + directory.resolve("store"));
        try (var server = PostgresServer.start()) {
            scratch.ok("volume create data --store s1 --meta '%s?outageTimeout=2&sslmode=disable'"
                    .formatted(server.url()));
            try (var served = new ServedVolume(scratch, "data", point, ""); var program = Python.in(point)) {
                assertThat(program.does("f = os.open('lost', os.O_RDWR | os.O_CREAT); os.write(f, b'x' * 100_000)"))
                        .isEqualTo("ok");
                server.pause();
                try {
                    everyCommandEnds(scratch);
                    assertThat(program.does("os.fsync(f)")).isEqualTo("EIO");
                    served.says("mounts show %s -o json".formatted(point), 6, "\"unavailable\"",
                            "the server does not respond");
                    assertThat(scratch.run("umount " + point).status()).isEqualTo(6);
                    assertThat(scratch.ok("umount --discard --dry-run " + point).out()).contains("97.7KiB");
                    assertThat(scratch.ok("umount --discard --lazy %s --confirm data".formatted(point)).err())
                            .contains("discarded 97.7KiB of ");
                    assertThat(served.child().exitCode()).as("no database was needed").isLessThan(128);
                } finally {
                    server.resume();
                }
            }
            Eventually.value("the file is there, and empty", () -> scratch.run("stat data:/lost -o value:size").out(),
                    "0\n"::equals);
        }
    }

    /** Its requests would wait for an hour, which nobody who looks at it or leaves it does. */
    @Test
    void aMountThatWaitsForAnHourIsLookedAtAndDiscardedAtOnce() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        var point = directory.resolve("mnt");
        scratch.ok("store add s1 file://" + directory.resolve("store"));
        try (var server = PostgresServer.start()) {
            scratch.ok("volume create data --store s1 --meta '%s?outageTimeout=3600&sslmode=disable'"
                    .formatted(server.url()));
            try (var served = new ServedVolume(scratch, "data", point, ""); var program = Python.in(point)) {
                assertThat(program.does("f = os.open('lost', os.O_RDWR | os.O_CREAT); os.write(f, b'x' * 100_000)"))
                        .isEqualTo("ok");
                server.pause();
                try {
                    assertThat(scratch.run("status --timeout 1s").status()).isEqualTo(6);
                    scratch.run("mounts list");
                    scratch.run("mounts show " + point);
                    assertThat(scratch.ok("umount --discard --dry-run " + point).out()).contains("97.7KiB");
                    assertThat(scratch.ok("umount --discard --lazy %s --confirm data".formatted(point)).err())
                            .contains("discarded 97.7KiB of ");
                    assertThat(served.child().exitCode()).as("no database was needed").isLessThan(128);
                } finally {
                    server.resume();
                }
            }
        }
    }

    private static void everyCommandEnds(Scratch scratch) {
        var exits = Map.of("ls data:/", 6, "volume show data", 6, "volume sessions data", 6, "volume check data", 6,
                "df", 10, "status --timeout 1s", 6);
        try (var threads = Executors.newCachedThreadPool()) {
            var ended = exits.keySet().stream().collect(Collectors.toMap(line -> line,
                    line -> CompletableFuture.supplyAsync(() -> scratch.run(line), threads)));
            ended.forEach((line, end) -> assertThat(Eventually.result(line, end).status())
                    .as(line + ": " + end.join().err()).isEqualTo(exits.get(line)));
            assertThat(ended.get("ls data:/").join().err()).contains("the server does not respond");
        }
    }
}

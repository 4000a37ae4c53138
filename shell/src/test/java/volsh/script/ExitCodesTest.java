package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.command.Cancellation;
import volsh.command.failure.ExitCode;
import volsh.command.run.Words;
import volsh.volume.Volumes;

/** The matrix: what a user does, and the number it ends with. */
final class ExitCodesTest {
    /** Held elsewhere: full disks (FullDiskTest), other users (MountOptionsTest), pipes and signals (SignalsTest). */
    private static final Set<ExitCode> ELSEWHERE =
            EnumSet.of(ExitCode.NO_SPACE, ExitCode.PERMISSION, ExitCode.BROKEN_PIPE, ExitCode.HANGUP,
                    ExitCode.TERMINATED, ExitCode.NOT_EXECUTABLE);

    @TempDir
    Path directory;

    private final Set<ExitCode> seen = EnumSet.copyOf(ELSEWHERE);
    private final List<String> wrong = new ArrayList<>();
    private Workshop workshop;

    private void ends(ExitCode expected, String line) throws IOException {
        ends(expected, line, workshop.run(Words.of(line).toArray(String[]::new)));
    }

    private void ends(ExitCode expected, String what, Workshop.Ended ended) {
        seen.add(expected);
        if (ended.status() != expected.status()) {
            wrong.add("%s: %d, not %d%n%s".formatted(what, ended.status(), expected.status(), ended.err()));
        }
    }

    @Test
    void everyNumberIsReached() throws Exception {
        workshop = new Workshop(directory);
        ends(ExitCode.OK, "volume create a --block-size 64KiB");
        ends(ExitCode.OK, "volume ensure a");
        ends(ExitCode.FAILED, "-e 'throw new RuntimeException(\"x\")'");
        ends(ExitCode.USAGE, "volume create b --block-size 5");
        ends(ExitCode.USAGE, "volume destroy a");
        ends(ExitCode.NOT_FOUND, "volume show none");
        ends(ExitCode.CONFLICT, "volume create a");
        ends(ExitCode.CONFLICT, "volume ensure a --block-size 128KiB");
        ends(ExitCode.EXPECTATION, "-e 'expect(1 > 2) { \"no\" }'");
        ends(ExitCode.PENDING, "volume destroy a --dry-run --exit-code");
        ends(ExitCode.TIMEOUT, "-e 'deadline(50.ms) { sleep 1.h }'");
        ends(ExitCode.UNKNOWN_COMMAND, "moutn a /x");
        ends(ExitCode.UNKNOWN_COMMAND, "-c 'moutn a /x'");
        ends(ExitCode.CONFLICT, "-c 'volume list; volume create a; volume show none'");
        busy();
        unavailable();
        partial();
        damaged();
        cancelled();
        assertThat(wrong).isEmpty();
        assertThat(seen).as("every code").isEqualTo(EnumSet.allOf(ExitCode.class));
    }

    private void busy() throws Exception {
        try (var services = workshop.services(); var open = services.of(Volumes.class)
                .open("a", Access.WRITE, "test")) {
            assertThat(open).isNotNull();
            ends(ExitCode.BUSY, "volume destroy a --confirm a");
        }
    }

    private void unavailable() throws IOException {
        ends(ExitCode.OK, "store add flaky 'file://" + directory.resolve("flaky") + "?errors=50%&seed=7'");
        ends(ExitCode.UNAVAILABLE, "store probe flaky");
    }

    private void partial() throws IOException {
        ends(ExitCode.OK, "volume create broken");
        String id = workshop.run("volume", "show", "broken", "-o", "value:id").out().strip();
        try (var files = Files.walk(directory.resolve("home/state/volumes").resolve(id))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.writeString(file,
                        "not a database, but long enough to be looked at as if it were one".repeat(100));
            }
        }
        ends(ExitCode.PARTIAL, "df");
    }

    private void damaged() throws IOException {
        workshop.typing("y".repeat(100_000));
        ends(ExitCode.OK, "put - a:/x");
        try (var blocks = Files.walk(directory.resolve("home"))) {
            for (Path block : blocks.filter(file -> file.toString().contains("/blocks/") && Files.isRegularFile(file))
                    .toList()) {
                byte[] bytes = Files.readAllBytes(block);
                bytes[bytes.length / 2] ^= 1;
                Files.write(block, bytes);
            }
        }
        ends(ExitCode.INTEGRITY, "cat a:/x");
    }

    private void cancelled() throws IOException {
        var stop = new Cancellation();
        stop.request();
        ends(ExitCode.CANCELLED, "while (true) { }", workshop.run(stop, "-e", "while (true) { }"));
    }
}

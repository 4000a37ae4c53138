package volsh.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program as users start it. */
@Timeout(120)
final class MainTest {
    @TempDir
    Path directory;

    @Test
    void dataOnOutErrorsOnErrAndTheExitCode() throws Exception {
        var ended = Program.run(Program.of(Main.class, "version", "-o", "value:program"));
        assertThat(ended).isEqualTo(new Program.Ended(0, "volsh\n", ""));
        var wrong = Program.run(Program.of(Main.class, "verson"));
        assertThat(wrong.status()).isEqualTo(127);
        assertThat(wrong.out()).isEmpty();
        assertThat(wrong.err()).contains("did you mean: volsh version").doesNotContain("\u001b");
    }

    /**
     * Main ends the process by itself if a thread would keep it alive; daemons, as those of pools that are still open,
     * do not.
     */
    @Test
    void onlyThreadsThatAreNoDaemonsKeepTheProcessAlive() throws Exception {
        var end = new CountDownLatch(1);
        boolean before = Main.isAnyoneLeft();
        var daemon = Thread.ofPlatform().daemon().start(() -> await(end));
        assertThat(Main.isAnyoneLeft()).isEqualTo(before);
        var other = Thread.ofPlatform().daemon(false).start(() -> await(end));
        assertThat(Main.isAnyoneLeft()).isTrue();
        end.countDown();
        daemon.join();
        other.join();
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aFullDiskIsAnError() throws Exception {
        Path full = Path.of("/dev/full");
        assertThat(full).as("the test needs /dev/full").exists();
        var builder = Program.of(Main.class, "version").redirectOutput(full.toFile());
        var ended = Program.run(builder);
        assertThat(ended.status()).isEqualTo(8);
        assertThat(ended.err()).contains("error: cannot write to standard output", "cause: No space left on device");
    }

    @Test
    void aTerminalIsRecognisedWithItsWidth() throws Exception {
        var inside = Program.of(Main.class, "--help").command().stream().map(word -> "'" + word + "'").toList();
        var builder = new ProcessBuilder("script", "-qec", "stty cols 50; TERM=xterm " + String.join(" ", inside),
                "/dev/null");
        builder.environment().keySet().removeAll(List.of("COLUMNS", "NO_COLOR", "CLICOLOR", "FORCE_COLOR"));
        var ended = Program.run(builder);
        assertThat(ended.status()).as(ended.out()).isZero();
        assertThat(ended.out()).contains("\u001b[1mExamples:\u001b[0m");
        // Examples are lines to be pasted and therefore never broken.
        assertThat(ended.out().lines().filter(line -> !line.startsWith("  volsh ")).mapToInt(String::length).max()
                .orElse(0))
                .isBetween(40, 60);
        builder.environment().put("NO_COLOR", "1");
        assertThat(Program.run(builder).out()).contains("Examples:").doesNotContain("\u001b");
    }

    /** Start-up is paid by every command: what a plain one loads is bounded, and big libraries are not among it. */
    @Test
    void aPlainCommandLoadsLittle() throws Exception {
        Path log = directory.resolve("classes");
        assertThat(Program.run(Program.logging(log, "version")).status()).isZero();
        List<String> classes = Files.readAllLines(log);
        assertThat(classes).hasSizeBetween(500, 2150)
                .noneMatch(line -> line.contains(" groovy.") || line.contains(" org.jline.")
                        || line.contains(" software.amazon.")
                        || line.contains(" org.sqlite.") || line.contains("TzdbZoneRulesProvider"));
    }
}

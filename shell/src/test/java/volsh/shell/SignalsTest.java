package volsh.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes and real signals. */
@Timeout(240)
final class SignalsTest {
    @TempDir
    Path directory;

    private Process start(String... words) throws Exception {
        Process process = Program.of(SlowProgram.class, words).start();
        await(process, "running");
        return process;
    }

    /** Reads standard error until the word has come. */
    private static void await(Process process, String word) throws Exception {
        var seen = new StringBuilder();
        while (seen.indexOf(word) < 0) {
            int next = process.getErrorStream().read();
            assertThat(next).as("ended early: " + seen).isNotNegative();
            seen.append((char) next);
        }
    }

    @ParameterizedTest
    @CsvSource({"loop,INT,130,error: cancelled [CLI-0130]|exit 130 (cancelled)",
            "loop,TERM,143,error: ended by SIGTERM [CLI-0143]|exit 143 (terminated)",
            "wait,HUP,129,error: ended by SIGHUP [CLI-0129]|exit 129 (hangup)", "wait,TERM,143,exit 143 (terminated)"})
    void theFirstSignalStopsTheCommandWhichCleansUp(String command, String signal, int status, String said)
            throws Exception {
        Path file = directory.resolve("cleaned");
        Process process = start(command, file.toString());
        Program.signal(process, signal);
        var ended = Program.end(process);
        assertThat(ended.status()).isEqualTo(status);
        assertThat(file).hasContent("cleaned");
        assertThat(ended.err()).contains(said.split("\\|")).doesNotContain("Exception", "\tat ");
        assertThat(ended.out()).isEmpty();
    }

    /**
     * A script of lines with a job and of code: what it put off is done, its jobs are stopped, the code is the
     * signal's.
     */
    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    void aScriptThatIsStoppedCleansUp(String signal, int status) throws Exception {
        Path file = directory.resolve("cleaned");
        Path job = directory.resolve("job");
        Path trapped = directory.resolve("trapped");
        Path script = java.nio.file.Files.writeString(directory.resolve("s.volsh"), """
                defer { java.nio.file.Files.writeString(java.nio.file.Path.of('%s'), 'cleaned') }
                !trap 'touch %s; exit' TERM; touch %s; while :; do sleep 0.1; done &
                while (java.nio.file.Files.notExists(java.nio.file.Path.of('%s'))) { Thread.sleep(20) }
                log.warn 'running'; while (true) { }
                """.formatted(file, job, trapped, trapped));
        var builder = Program.of(Main.class, "run", script.toString());
        builder.environment().put("VOLSH_HOME", directory.resolve("home").toString());
        Process process = builder.start();
        await(process, "warning: running");
        Program.signal(process, signal);
        var ended = Program.end(process);
        assertThat(ended.status()).as(ended.err()).isEqualTo(status);
        assertThat(file).hasContent("cleaned");
        assertThat(job).exists();
        assertThat(ended.err()).contains("exit " + status).doesNotContain("Exception", "\tat ");
    }

    @Test
    void theSecondCtrlCEndsAtOnce() throws Exception {
        Process process = start("stubborn", directory.resolve("never").toString());
        Program.signal(process, "INT");
        await(process, "cleaning");
        Program.signal(process, "INT");
        assertThat(Program.end(process).status()).isEqualTo(130);
        assertThat(directory.resolve("never")).doesNotExist();
    }

    @Test
    void ctrlCAtAQuestionChangesNothing() throws Exception {
        Process process = start("ask");
        Program.signal(process, "INT");
        var ended = Program.end(process);
        assertThat(ended.status()).isEqualTo(130);
        assertThat(ended.err()).doesNotContain("changed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jsonl", "table", "csv", "name", "json"})
    void aReaderWhoLeavesIsNoError(String format) throws Exception {
        var shell = new ProcessBuilder("bash", "-c", "\"$@\" | head -3; exit ${PIPESTATUS[0]}", "bash");
        shell.command().addAll(Program.of(SlowProgram.class, "endless", "-o", format).command());
        var ended = Program.run(shell);
        assertThat(ended.status()).isEqualTo(141);
        assertThat(ended.out()).hasLineCount(3);
        assertThat(ended.err()).isEmpty();
    }
}

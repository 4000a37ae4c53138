package volsh.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Lines from standard input, where nobody can answer a question. */
@Timeout(120)
final class StandardInputTest {
    @TempDir
    Path directory;

    private Program.Ended feed(String lines) throws Exception {
        var builder = Program.of(Main.class);
        builder.environment().put("VOLSH_HOME", directory.resolve("home").toString());
        Process process = builder.start();
        try (var input = process.getOutputStream()) {
            input.write(lines.getBytes(StandardCharsets.UTF_8));
        }
        return Program.end(process);
    }

    /** {@code echo 'volume destroy x' | volsh} ends with 2, says which option to give, and destroys nothing. */
    @Test
    void aQuestionWithoutATerminalIsAnErrorAndNotAHang() throws Exception {
        var ended = feed("volume create x\nvolume destroy x\nvolume create never\n");
        assertThat(ended.status()).as(ended.err()).isEqualTo(2);
        assertThat(ended.err()).contains("--confirm x").doesNotContain("Exception");
        assertThat(feed("volume list -o name\n").out()).isEqualTo("x\n");
    }
}

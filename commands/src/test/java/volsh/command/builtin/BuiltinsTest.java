package volsh.command.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.TestHost;
import volsh.command.failure.ExitCode;
import volsh.command.run.SampleCommands;

final class BuiltinsTest {
    @TempDir
    Path directory;

    private final TestHost host = new TestHost();

    @Test
    void versionSaysWhatItKnows() {
        assertThat(host.run(SampleCommands.tree(), "version")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).contains("program  volsh\nversion  ");
        assertThat(host.run(SampleCommands.tree(), "--version", "-o", "value:program")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).endsWith("volsh\n");
    }

    @Test
    void completionPrintsTheScript() {
        assertThat(host.run(SampleCommands.tree(), "completion", "bash")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).startsWith("# bash completion for volsh").endsWith("complete -F _volsh volsh\n");
        assertThat(host.run(SampleCommands.tree(), "completion", "tcsh")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err()).contains("'tcsh' is not one of bash, zsh, fish");
    }

    @Test
    void selftrainRunsEveryLineAndDiscardsWhatItPrints() throws IOException {
        Path file = directory.resolve("lines");
        Path pages = directory.resolve("man pages");
        Files.writeString(file, "# a comment\n\nvolsh version\nnonsense\nman --write '" + pages + "'\n");
        assertThat(host.run(SampleCommands.tree(), "selftrain", file.toString(), "-o", "jsonl")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).isEqualTo("{\"lines\": 3, \"failed\": 1}\n");
        assertThat(host.err()).isEmpty();
        assertThat(pages.resolve("volsh.1")).isNotEmptyFile();
        assertThat(host.run(SampleCommands.tree(), "selftrain", directory.resolve("none").toString()))
                .isEqualTo(ExitCode.NOT_FOUND);
    }
}

package volsh.command.man;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.TestHost;
import volsh.command.failure.ExitCode;
import volsh.command.run.SampleCommands;

final class ManPageTest {
    @TempDir
    Path directory;

    @Test
    void thePageIsTroffWithExamplesFirst() {
        var spec = SampleCommands.tree().spec().subcommands().get("volume").getCommandSpec().subcommands().get("create")
                .getCommandSpec();
        assertThat(ManPage.of(Manual.of(spec), "1.0")).startsWith("""
                .TH "VOLSH\\-VOLUME\\-CREATE" 1 "" "volsh 1.0" "volsh manual"
                .nh
                .ad l
                .SH "NAME"
                volsh\\-volume\\-create \\- Create a volume.
                .SH "EXAMPLES"
                .nf
                volsh volume create imagenet \\-\\-block\\-size 8MiB
                .fi
                .SH "SYNOPSIS"
                volsh volume create [OPTION...] NAME
                """).contains(".TP\n.B \"\\-\\-block\\-size SIZE\"\nA power of two (default: 4MiB).\n");
    }

    @Test
    void textIsNeverTakenForRequests() {
        var manual = new Manual("volsh x", List.of(), List.of(".SH evil", "'quote\\n\nnext"), List.of(".ex"), "volsh x",
                List.of(),
                List.of(new Manual.Entry("--a \"b\"", "'c")), List.of(), List.of());
        assertThat(ManPage.of(manual, "1").lines()).contains("\\&.SH evil", "\\(aqquote\\en next", "\\&.ex",
                ".B \"\\-\\-a \\(dqb\\(dq\"", "\\(aqc");
    }

    @Test
    void allPagesAreWritten() throws IOException {
        var host = new TestHost();
        assertThat(host.run(SampleCommands.tree(), "man", "--write", directory.resolve("man").toString(), "-o", "name"))
                .isEqualTo(ExitCode.OK);
        assertThat(host.out().lines()).contains("volsh.1", "volsh-volume.1", "volsh-volume-create.1", "volsh-exit.7")
                .noneMatch(name -> name.contains("selftrain") || name.contains("__complete"))
                .allSatisfy(name -> assertThat(directory.resolve("man").resolve(name)).isNotEmptyFile());
    }

    @Test
    void groffFindsNothingToWarnAbout() throws Exception {
        Path groff = Path.of("/usr/bin/groff");
        Assumptions.assumeTrue(Files.isExecutable(groff), "groff is not installed");
        var host = new TestHost();
        assertThat(host.run(SampleCommands.tree(), "man", "volume", "create")).isEqualTo(ExitCode.OK);
        var process = new ProcessBuilder(groff.toString(), "-man", "-Tascii", "-ww")
                .redirectError(directory.resolve("err").toFile()).start();
        try (var input = process.getOutputStream()) {
            input.write(host.out().getBytes(StandardCharsets.UTF_8));
        }
        String page = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        assertThat(directory.resolve("err")).isEmptyFile();
        assertThat(page).contains("volsh volume create imagenet --block-size 8MiB");
    }
}

package volsh.command.complete;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The scripts, in the repository and in a real bash. */
final class CompletionScriptTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(ShellKind.class)
    void theCommittedScriptsAreTheOnesWePrint(ShellKind shell) throws IOException {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(root.resolve("completions"))) {
            root = root.getParent();
            assertThat(root).as("no completions/ above the working directory").isNotNull();
        }
        assertThat(root.resolve("completions").resolve(shell.file()))
                .as("stale: volsh completion %s > completions/%s", shell.name().toLowerCase(java.util.Locale.ROOT),
                        shell.file())
                .hasContent(shell.script());
    }

    /** A volsh that notes the words it is asked about and answers with what the test wrote down. */
    @BeforeEach
    void fakeVolsh() throws IOException {
        Path fake = directory.resolve("volsh");
        Files.writeString(fake, """
                #!/bin/sh
                printf '<%s>' "$@" > "$ASKED"
                cat "$ANSWER"
                """);
        assertThat(fake.toFile().setExecutable(true)).isTrue();
        Files.writeString(directory.resolve("volsh.bash"), ShellKind.BASH.script());
    }

    /** What bash asks, and what it offers, when TAB is pressed behind {@code line}. */
    private record Answer(String asked, List<String> offered, List<String> options) {}

    private Answer complete(String line, List<String> words, String... answer) throws Exception {
        Files.writeString(directory.resolve("answer"), String.join("\n", answer) + "\n");
        Files.writeString(directory.resolve("driver"), """
                source "$DIR/volsh.bash"
                compopt() { printf 'opt %s\\n' "$2"; }
                COMP_LINE=$1
                COMP_POINT=${#1}
                shift
                COMP_WORDS=("$@")
                COMP_CWORD=$(($# - 1))
                _volsh
                for reply in "${COMPREPLY[@]}"; do printf 'reply %s\\n' "$reply"; done
                """);
        String driver = directory.resolve("driver").toString();
        var command = new java.util.ArrayList<>(List.of("bash", "--norc", "--noprofile", driver, line));
        command.addAll(words);
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("DIR", directory.toString());
        builder.environment().put("ASKED", directory.resolve("asked").toString());
        builder.environment().put("ANSWER", directory.resolve("answer").toString());
        builder.environment().merge("PATH", directory.toString(), (path, first) -> first + ":" + path);
        Process bash = builder.start();
        bash.getOutputStream().close();
        List<String> lines = new String(bash.getInputStream().readAllBytes()).lines().toList();
        assertThat(bash.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(bash.exitValue()).as(lines.toString()).isZero();
        assertThat(lines).allMatch(text -> text.startsWith("opt ") || text.startsWith("reply "));
        return new Answer(Files.readString(directory.resolve("asked")),
                lines.stream().filter(text -> text.startsWith("reply ")).map(text -> text.substring(6)).toList(),
                lines.stream().filter(text -> text.startsWith("opt ")).map(text -> text.substring(4)).toList());
    }

    @Test
    void aCommand() throws Exception {
        Answer answer = complete("volsh vol", List.of("volsh", "vol"), "volume\tVolumes.");
        assertThat(answer).isEqualTo(new Answer("<__complete><--shell><bash><--><vol>", List.of("volume"), List.of()));
    }

    @Test
    void anEmptyWord() throws Exception {
        Answer answer = complete("volsh volume ", List.of("volsh", "volume", ""), "create\tCreate a volume.",
                "list\tList volumes.");
        assertThat(answer.asked()).isEqualTo("<__complete><--shell><bash><--><volume><>");
        assertThat(answer.offered()).containsExactly("create", "list");
    }

    @Test
    void aPathInAVolumeWhichBashSplitsAtTheColon() throws Exception {
        Answer answer = complete("volsh ls train:/sh", List.of("volsh", "ls", "train", ":", "/sh"),
                "train:/shards/\tdir");
        assertThat(answer).isEqualTo(new Answer("<__complete><--shell><bash><--><ls><train:/sh>", List.of("/shards/"),
                List.of("nospace")));
    }

    @Test
    void aColonAtTheCursor() throws Exception {
        Answer answer = complete("volsh ls train:", List.of("volsh", "ls", "train", ":"), "train:/\tdir");
        assertThat(answer).isEqualTo(new Answer("<__complete><--shell><bash><--><ls><train:>", List.of("/"),
                List.of("nospace")));
    }

    @Test
    void aValueBehindAnEqualsSign() throws Exception {
        Answer answer = complete("volsh volume create --compression=z",
                List.of("volsh", "volume", "create", "--compression", "=", "z"),
                "--compression=zstd\t");
        assertThat(answer.asked()).isEqualTo("<__complete><--shell><bash><--><volume><create><--compression=z>");
        assertThat(answer.offered()).containsExactly("zstd");
    }

    @Test
    void localFilesAreLeftToBash() throws Exception {
        Answer answer = complete("volsh put ./d", List.of("volsh", "put", "./d"), ":files");
        assertThat(answer.offered()).isEmpty();
        assertThat(answer.options()).containsExactly("default");
    }

    @Test
    void quotedWordsLoseTheirQuotes() throws Exception {
        Answer answer = complete("volsh rm 'a b' tr", List.of("volsh", "rm", "'a b'", "tr"), "train\t");
        assertThat(answer.asked()).isEqualTo("<__complete><--shell><bash><--><rm><a b><tr>");
    }
}

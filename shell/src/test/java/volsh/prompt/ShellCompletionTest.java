package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The committed completions in the real bash, zsh and fish: a person presses TAB. */
@Timeout(300)
final class ShellCompletionTest {
    private static final String CLEAR = "\u0015";   // Ctrl-U

    @TempDir
    Path directory;

    private Emulator emulator;

    private void prepare() throws Exception {
        emulator = new Emulator(directory);
        Files.writeString(directory.resolve("notes.txt"), "x");
        var made = emulator.run(List.of(emulator.volsh().toString(), "-c",
                "volume create training-data; mkdir training-data:/shards; put notes.txt training-data:/shards/a.txt;"
                        + " checkpoint save training-data --run resnet --step 1200 --from bin"));
        assertThat(made.status()).as(made.told()).isZero();
    }

    /** The same for every shell: a live volume, options, values, paths in the volume, local files. */
    private void completes(String prompt, List<String> shell, String load, String clear) throws Exception {
        prepare();
        var ended = emulator.type(shell,
                "[$%#>] ", load + "\r",
                prompt, "volsh mount tra\t",
                "volsh mount training-data ", "--read-o\t",
                "--read-only ", "--transport ker\t",
                "--transport kernel ", clear,
                prompt, "volsh ls training-data:/sh\t",
                "training-data:/shards/", "a\t",
                "training-data:/shards/a.txt ?", clear,
                prompt, "volsh put not\t",
                "volsh put notes.txt ", clear,
                prompt, "volsh checkpoint show training-data --run re\t",
                "--run resnet ", "--step 1\t",
                "--step 1200 ", clear,
                prompt, "exit 7\r");
        assertThat(ended.status()).as(ended.told()).isEqualTo(7);
    }

    private static String script(String name) {
        return Emulator.project().resolve("completions").resolve(name).toString();
    }

    @Test
    void bash() throws Exception {
        completes("^ready> ", List.of("bash", "--norc", "--noprofile", "-i"), "PS1='ready> '; source " + script("volsh.bash"), CLEAR);
    }

    @Test
    void zsh() throws Exception {
        completes("^ready> ", List.of("zsh", "-f", "-i"),
                "autoload -U compinit; compinit -u -d \"$HOME/zcompdump\"; PS1='ready> '; source " + script("_volsh"), CLEAR);
    }

    @Test
    void fish() throws Exception {
        completes("^ready> ", List.of("fish", "--no-config", "-i"), "function fish_prompt; echo -n 'ready> '; end; source " + script("volsh.fish"), CLEAR);
    }
}

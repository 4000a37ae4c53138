package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pictures in docs/screens are taken by a script that works, and show what they are kept for. */
@Timeout(300)
final class ScreensTest {
    @TempDir
    Path directory;

    @Test
    void theScriptTakesEveryPicture() throws Exception {
        var emulator = new Emulator(directory);
        Path kept = Emulator.project().resolve("docs/screens");
        Path taken = directory.resolve("screens");
        var words = new ArrayList<>(List.of(Emulator.python(),
                Emulator.project().resolve("scripts/screens.py").toString(), taken.toString()));
        if (!Boolean.getBoolean("volsh.long")) {
            words.add("--without-top");   // a processor is busy with it for seconds
        }
        var ended = emulator.run(words);
        assertThat(ended.status()).as(ended.told()).isZero();
        for (String name : List.of("demo", "prompt", "menu", "table", "progress", "error")) {
            assertThat(taken.resolve(name + ".svg")).content().startsWith("<svg ");
            assertThat(kept.resolve(name + ".svg")).content().startsWith("<svg ");
        }
        assertThat(Files.readString(taken.resolve("prompt.svg"))).as("what is wrong is red")
                .contains("fill=\"#ff6b5e\"");
        for (Path screens : List.of(taken, kept)) {
            assertThat(Files.readString(screens.resolve("demo.txt"))).contains("proven in ", "checksum mismatch");
            assertThat(Files.readString(screens.resolve("prompt.txt")))
                    .contains("--profle logs", "volume create [OPTION...] NAME");
            assertThat(Files.readString(screens.resolve("menu.txt")))
                    .contains("eval-data", "training-data", "in default");
            assertThat(Files.readString(screens.resolve("table.txt"))).contains("NAME", "archive", "far");
            assertThat(Files.readString(screens.resolve("progress.txt"))).containsPattern("put  .*\\d+% .* of \\d+MiB");
            assertThat(Files.readString(screens.resolve("error.txt")))
                    .contains("did you mean: volsh volume destroy training-data");
        }
    }
}

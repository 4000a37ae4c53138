package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pictures in docs/screens are taken by a script that works: it shows here what is kept there. */
@Timeout(300)
final class ScreensTest {
    @TempDir
    Path directory;

    @Test
    void theScriptTakesEveryPicture() throws Exception {
        var emulator = new Emulator(directory);
        Path kept = Emulator.project().resolve("docs/screens");
        Path taken = directory.resolve("screens");
        var ended = emulator.run(List.of(Emulator.python(), Emulator.project().resolve("scripts/screens.py").toString(), taken.toString()));
        assertThat(ended.status()).as(ended.told()).isZero();
        for (String name : List.of("prompt", "menu", "table", "progress", "error")) {
            assertThat(taken.resolve(name + ".svg")).content().startsWith("<svg ");
            assertThat(kept.resolve(name + ".svg")).content().startsWith("<svg ");
        }
        assertThat(Files.readString(taken.resolve("prompt.svg"))).as("what is wrong is red").contains("fill=\"#cc0000\"");
        for (String name : List.of("prompt", "table", "error")) {
            assertThat(taken.resolve(name + ".txt")).as("stale: scripts/screens.py").hasSameTextualContentAs(kept.resolve(name + ".txt"));
        }
        assertThat(Files.readString(taken.resolve("menu.txt"))).contains("eval-data", "training-data", "in default");
    }
}

package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.render.Json;

/** A line that is typed is drawn once, with one tip, however wide the window gets. */
@Timeout(300)
final class ResizedWindowTest {
    private static final String CLEAR = "\u0005\u0015";
    private static final String CTRL_L = "\f";
    private static final String LONG = "volume create new --compression zstd:3 --label tier=gold --block-size ";

    @TempDir
    Path directory;

    @Test
    void nothingOfTheOldLineStays() throws Exception {
        var emulator = new Emulator(directory);
        var steps = List.of(
                Map.of("line", "^volsh> "), Map.of("keys", CTRL_L + LONG),
                Map.of("screen", "\\Avolsh> " + LONG.strip() + "\\n--block-size SIZE "),
                Map.of("columns", 60),
                Map.of("screen", "\\Avolsh> .* --label tier=g\\nold --block-size\\n--block-size SIZE [^\\n]*\\n\\Z"),
                Map.of("columns", 100),
                Map.of("screen", "\\Avolsh> " + LONG.strip() + "\\n--block-size SIZE [^\\n]*\\n\\Z"),
                Map.of("keys", CLEAR + "exit 3\r"));
        // a terminal that does not break lines anew, as the emulated one
        var ended = emulator.run(List.of(Emulator.python(),
                Emulator.project().resolve("scripts/terminal.py").toString(), "20", "100", Json.of(steps), "--",
                "env", "XTERM_VERSION=1", emulator.volsh().toString()));
        assertThat(ended.status()).as(ended.told()).isEqualTo(3);
    }
}

package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.render.Json;

/** What helps a person to type, on the screen of a terminal. */
@Timeout(300)
final class PromptAidsTest {
    private static final String CLEAR = "\u0005\u0015";   // Ctrl-E, Ctrl-U
    private static final String ALT_H = "\u001bh";
    private static final String F1 = "\u001bOP";

    @TempDir
    Path directory;

    private final List<Map<String, String>> steps = new ArrayList<>();

    private PromptAidsTest line(String before, String keys) {
        boolean tab = !steps.isEmpty() && steps.getLast().getOrDefault("keys", "").endsWith("\t");
        steps.add(tab ? Map.of("line", before, "again", "\t") : Map.of("line", before));
        steps.add(Map.of("keys", keys));
        return this;
    }

    private PromptAidsTest screen(String shown, String keys) {
        steps.add(Map.of("screen", shown));
        steps.add(Map.of("keys", keys));
        return this;
    }

    /** Types {@code again} if it takes long. */
    private PromptAidsTest menu(String shown, String again) {
        steps.add(Map.of("screen", shown, "again", again));
        return this;
    }

    @Test
    void menuTipsAndHelp() throws Exception {
        var emulator = new Emulator(directory);
        Files.writeString(directory.resolve("my notes.txt"), "x");
        line("volsh> ", "volume create training-data -q; volume create training-more -q\r")
                .screen("training-more", "")
                .line("^volsh> ", "volume show tr\t")
                // what both share; then the menu
                .line("volume show training-", "\t")
                // what is told about them may come later than their names
                .menu("training-data +\\(", "\u0005" + CLEAR + "volume show training-\t")
                .screen("training-more +\\(", "\u0005" + CLEAR)
                .line("^volsh> ", "volume show tmo\t")                                     // found by some letters
                .line("volume show training-more ", CLEAR)
                .line("^volsh> ", "put my\t")
                .line("put my\\\\ notes.txt ", CLEAR)
                .line("^volsh> ", "volume list | select na\t")
                .line("select name ", "| sor\t")
                // the only column that is left
                .line("\\| sort ", "\t")
                .line("sort name ", CLEAR)
                .line("^volsh> ", "volume.sho\t")
                .line("volume.show", CLEAR)
                .line("^volsh> ", "volume create x --block-size ")
                .screen("--block-size SIZE   ", CLEAR)
                .line("^volsh> ", "volume list" + F1)
                // at 80x24 a screen and a bit: to scroll through
                .screen("List the volumes", "q")
                .line("volume list", CLEAR)
                .line("^volsh> ", "mount" + ALT_H)
                // too long for the screen: to scroll through
                .screen("Mount a volume, a directory of it, or a bucket", "q")
                .line("volsh> mount", CLEAR)
                .line("^volsh> ", "volume list\r")
                // Alt-.: the last word of the line before
                .line("^volsh> ", "volume show \u001b.")
                .line("volume show list", "\u001b.")                                      // and of the one before that
                .line("volume show -q", CLEAR)
                // what the last command answered
                .line("^volsh> ", "_*.name.join('+')\r")
                .screen("^training-data\\+training-more$", "")
                .line("^volsh> ", "volume show ${_1[1].name} -o value:name\r")
                .screen("^training-more$", "")
                .line("^volsh> ", "volume show nosuch\r")
                .screen("no such volume", "")
                .line("^volsh> ", "'ended with ' + _exit\r")
                .screen("^ended with 3$", "")
                .line("^volsh> ", "set the\t")
                .line("set theme ", "li\t")
                .line("set theme light ", CLEAR)
                .line("^volsh> ", "job start volume sho\t")                               // a command in a command
                .line("job start volume show ", "training-m\t")
                .line("volume show training-more ", CLEAR)
                .line("^volsh> ", "exit 3\r");
        var words = List.of(Emulator.python(), Emulator.project().resolve("scripts/terminal.py").toString(), "24", "80",
                Json.of(steps), "--", emulator.volsh().toString());
        var ended = emulator.run(words);
        assertThat(ended.status()).as(ended.told()).isEqualTo(3);
    }
}

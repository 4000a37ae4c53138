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

/** The working directory, lists of candidates and of history, keys of full screens, and jobs of code, at a terminal. */
@Timeout(300)
final class StandingTest {
    private static final String CLEAR = "\u0005\u0015";   // Ctrl-E, Ctrl-U
    private static final String CTRL_R = "\u0012";
    private static final String CTRL_G = "\u0007";
    private static final String CTRL_Z = "\u001a";
    private static final String CTRL_C = "\u0003";
    private static final String F1 = "\u001bOP";

    @TempDir
    Path directory;

    private final List<Map<String, String>> steps = new ArrayList<>();

    private StandingTest line(String before, String keys) {
        boolean tab = !steps.isEmpty() && steps.getLast().getOrDefault("keys", "").endsWith("\t");
        steps.add(tab ? Map.of("line", before, "again", "\t") : Map.of("line", before));
        steps.add(Map.of("keys", keys));
        return this;
    }

    private StandingTest screen(String shown, String keys) {
        steps.add(Map.of("screen", shown));
        steps.add(Map.of("keys", keys));
        return this;
    }

    private void run(Emulator emulator, int columns) throws Exception {
        var words = List.of(Emulator.python(), Emulator.project().resolve("scripts/terminal.py").toString(), "30",
                "" + columns, Json.of(steps), "--", emulator.volsh().toString());
        var ended = emulator.run(words);
        assertThat(ended.status()).as(ended.told()).isEqualTo(3);
    }

    @Test
    void somebodyStandsInAVolume() throws Exception {
        var emulator = new Emulator(directory);
        Files.createDirectories(directory.resolve("tree/sub"));
        Files.writeString(directory.resolve("tree/apple.txt"), "an apple\n");
        Files.writeString(directory.resolve("tree/avocado.txt"), "an avocado\n");
        Files.writeString(directory.resolve("pear.txt"), "a local pear\n");
        line("^volsh> ", "volume create td -q; put -q -r tree td:/\r")
                .line("^volsh> ", "use td\r")
                .line("^volsh td:/> ", "cd tr\t")
                .line("cd tree/", "\r")
                .line("^volsh td:/tree> ", "cat a\t")
                // they share no more than what is typed: shown, not chosen
                .screen("^apple.txt +\\(file\\) +avocado.txt +\\(file\\)", "")
                .line("cat a", "\t")
                .line("cat apple.txt", CLEAR)
                .line("^volsh td:/tree> ", "cat td:/tree/a\t")
                // only the last part is shown
                .screen("^apple.txt +\\(file\\) +avocado.txt +\\(file\\)", "pp\t")
                .line("cat td:/tree/apple.txt ", CLEAR)
                .line("^volsh td:/tree> ", "put pe\t")
                .line("put pear.txt ", ".\r")
                .line("^volsh td:/tree> ", "cat pear.txt\r")
                .screen("^a local pear$", "")
                .line("^volsh td:/tree> ", "rm pear.txt\r")
                .screen("^removing td:/tree/pear.txt$", "")
                .line("^volsh td:/tree> ", "ls()*.name.join('+')\r")
                .screen("^apple.txt\\+avocado.txt\\+sub$", "")
                // the history as a list
                .line("^volsh td:/tree> ", CTRL_R + "pear")
                .screen("^history: pear_ +\\(1 of 3\\)", CTRL_R)
                .line("volsh td:/tree> cat pear.txt", CTRL_G)
                .line("^volsh td:/tree> ", CTRL_R + "use")
                .line("volsh td:/tree> use td", "\r")
                .line("^volsh td:/> ", "volume create x --block-size" + F1)
                // the page begins there
                .screen("\\A *--block-size SIZE", "q")
                .line("--block-size", CLEAR)
                .line("^volsh td:/> ", "cd /nosuch\r")
                .screen("td:/nosuch: no such directory", "")
                .line("^volsh td:/> ", "volume rename td tx -q; ls\r")
                .screen("the working directory td:/ is gone", "")
                .line("^volsh td:/> ", "cd\r")
                .line("^volsh> ", "exit 3\r");
        run(emulator, 90);
    }

    @Test
    void codeRunsBesideTheLineAndScreensAreLeft() throws Exception {
        var emulator = new Emulator(directory);
        Path gate = directory.resolve("gate");
        String waiting = "while (!new File('" + gate + "').exists()) { sleep 20 }; ";
        line("^volsh> ", waiting + "'job ' + 'says' &\r")
                .screen("^\\[1\\] while", "")
                .line("^volsh> ", "println 'wait' + 'ing'; " + waiting + "'moved ' + 'says'\r")
                .screen("^waiting$", CTRL_Z)
                .screen("\\[2\\] println", "")
                .line("^volsh> ", "!touch " + gate + "\r")
                .screen("^job says$", "")
                .screen("^moved says$", "")
                .screen("^\\[2\\] done", "")
                .line("^volsh> ", "confirm 'really' &\r")
                // nobody is there to answer
                .screen("not confirmed: really", "")
                .line("^volsh> ", "println 'for' + 'ever'; while (true) { }\r")
                .screen("^forever$", CTRL_C)
                .screen("^cancelled$", "")
                .line("^volsh> ", "watch 1s version -o value:version\r")
                .screen("^every 1s, q leaves: version", "q")
                .line("^volsh> ", "top --interval 100ms\r")
                .screen("^volsh top: 0 mounts, .*every 100ms", "q")
                .line("^volsh> ", "top --interval 150ms\r")
                .screen("^volsh top: 0 mounts, .*every 150ms", CTRL_C)
                .line("^volsh> ", "'ended with ' + _exit\r")
                .screen("^ended with 0$", "")
                .line("^volsh> ", "exit 3\r");
        run(emulator, 90);
    }
}

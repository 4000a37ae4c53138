package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.prompt.AtTerminal.CTRL_C;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * TAB at a real prompt on names that would command the terminal: what it gets are escapes, and the line means the file.
 */
@Timeout(600)
final class HostileNamesTest {
    /** A beginning that is typed, the whole name as Python writes it, and the end of what TAB puts in. */
    private record Hostile(String typed, String name, String end) {}

    private static final List<Hostile> NAMES = List.of(
            new Hostile("aa", "b'aa\\x1b]0;PWNED\\x07title'", "\\x1b]0;PWNED\\x07title'"),
            new Hostile("bb", "b'bb\\x1b]52;c;UFdORUQ=\\x07'", "\\x1b]52;c;UFdORUQ=\\x07'"),
            new Hostile("cc", "b'cc\\x1b[66;6H\\x1b[3J'", "\\x1b[66;6H\\x1b[3J'"),
            new Hostile("dd", "b'dd\\nvolume destroy x'", "\\x0avolume destroy x'"),
            new Hostile("ee", "b'ee\\ttab'", "\\x09tab'"),
            new Hostile("ff", "b'ff\\rover'", "\\x0dover'"),
            new Hostile("gg", "b'gg\\xff\\xfeodd'", "\\\\xff\\\\xfeodd"),
            new Hostile("hh", "b'hh\\xc2\\x9b31mc1'", "\\u009b31mc1'"),
            new Hostile("ii", "b'ii\\xe2\\x80\\xaegpj.exe'", "\\u202egpj.exe'"),
            new Hostile("jj", "b'jj\\xe2\\x80\\x8bzero'", "\\u200bzero'"),
            new Hostile("kk", "b'kk a\"b\\'c$d`e;f!g\\\\\\\\h'", "a\\\"b\\'c\\$d\\`e\\;f\\!g\\\\\\\\h"),
            new Hostile("ll", "b'll\\x7fdel\\'quote\\x1b\\\\\\\\x41'", "\\x7fdel\\x27quote\\x1b\\\\\\\\x41'"));

    private static final List<String> FORBIDDEN = List.of("\u001b]0;", "\u001b]52", "PWNED\u0007", "\u001b[66;6H",
            "\u001b[3J", "\u009b", "\u202e", "\u200b", "\u007f");

    @TempDir
    static Path directory;

    private static Emulator emulator;

    @BeforeAll
    static void files() throws Exception {
        emulator = new Emulator(directory);
        var python = new StringBuilder("import os\nos.mkdir('evil')\n");
        for (var hostile : NAMES) {
            python.append("open(b'evil/' + %s, 'w').write('content %s\\n')\n".formatted(hostile.name(),
                    hostile.typed()));
        }
        succeed(List.of("python3", "-c", python.toString()));
        succeed(List.of(emulator.volsh().toString(), "-c",
                "volume create training-data; put -q -r evil training-data:/"));
    }

    private static void succeed(List<String> command) throws IOException, InterruptedException {
        var ended = emulator.run(command);
        assertThat(ended.status()).as(ended.told()).isZero();
    }

    private static AtTerminal terminal() {
        return new AtTerminal(directory).size(40, 150).with("VOLSH_TIPS", "off");
    }

    private static void assertHarmless(AtTerminal.Shown shown) {
        assertThat(shown.status()).as(shown.screen()).isZero();
        for (String forbidden : FORBIDDEN) {
            assertThat(shown.screen().contains(forbidden))
                    .as(forbidden.replace('\u001b', 'E') + " in\n" + shown.screen().replace('\u001b', 'E')).isFalse();
        }
        assertThat(shown.screen()).doesNotContain("\ufffd");
    }

    @Test
    void filesOfAVolumeAreCompletedAndRead() throws Exception {
        var steps = new ArrayList<String>();
        for (var hostile : NAMES) {
            steps.addAll(List.of("volsh> ", "cat training-data:/evil/" + hostile.typed() + "\t",
                    "@tab " + hostile.end(), "\r",
                    "content " + hostile.typed(), ""));
        }
        steps.addAll(List.of("volsh> ", "quit\r"));
        assertHarmless(terminal().type(steps.toArray(String[]::new)));
    }

    @Test
    void localFilesAreCompletedAndRead() throws Exception {
        var steps = new ArrayList<String>();
        for (var hostile : NAMES) {
            if (!hostile.typed().equals("gg")) {   // Java cannot name it
                steps.addAll(List.of("volsh> ", "put evil/" + hostile.typed() + "\t",
                        "@tab " + hostile.end(), "training-data:/got-" + hostile.typed() + " && cat training-data:/got-"
                                + hostile.typed() + "\r",
                        "content " + hostile.typed(), ""));
            }
        }
        steps.addAll(List.of("volsh> ", "quit\r"));
        assertHarmless(terminal().type(steps.toArray(String[]::new)));
    }

    /** The menu shows all of them; what is typed inside of quotes is completed too, and stays the same word. */
    @Test
    void menusAndQuotesShowEscapes() throws Exception {
        var shown = terminal().with("LC_ALL", "C.UTF-8").type(
                "volsh> ", "cat training-data:/evil/\t\t",
                "@tab zero", CTRL_C,
                "volsh> ", "put evil/\t\t",
                "@tab zero", CTRL_C,
                "volsh> ", "!cat evil/\t\t",
                "@tab kk", CTRL_C,
                "volsh> ", "cat \"training-data:/evil/kk\t",
                "@tab g\\\\\\\\h", "\r",
                "content kk", "",
                "volsh> ", "cat $'training-data:/evil/aa\\x1b\t",
                "@tab title'", "\r",
                "content aa", "",
                // control characters that are pasted are not obeyed either
                "volsh> ", "\u001b[200~cat x\u001b]0;PWNED\u0007y\u202ez\u001b[201~",
                "z", CTRL_C,
                "volsh> ", "quit\r");
        assertHarmless(shown);
        assertThat(shown.screen()).contains("\\x1b]0;PWNED\\x07title", "\\u202egpj.exe");
    }

    /** A script before a prompt is in a dry run where one is wanted. */
    @Test
    void aPromptAfterADryRunIsOne() throws Exception {
        java.nio.file.Files.writeString(directory.resolve("make.groovy"), "volume.create 'made'\n",
                StandardCharsets.UTF_8);
        var orders = new ArrayList<>(List.of(List.of("run", "-i", "-n", "make.groovy"),
                List.of("run", "-i", "make.groovy", "-n"), List.of("-n", "-i", "make.groovy")));
        Collections.shuffle(orders);
        for (var words : orders.subList(0, Boolean.getBoolean("volsh.long") ? orders.size() : 1)) {
            var shown = terminal().arguments(words.toArray(String[]::new))
                    .type("would create", "", "volsh> ", "quit\r");
            assertThat(shown.status()).as(words + shown.screen()).isZero();
        }
        var list = emulator.run(List.of(emulator.volsh().toString(), "volume", "list", "-o", "name"));
        assertThat(list.told()).isEqualTo("training-data\n");
    }
}

package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The committed completions in the real bash, zsh and fish: a person presses TAB. */
@Timeout(600)
final class ShellCompletionTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final RandomGenerator RANDOM = RandomGenerator.getDefault();
    private static final int SIXTH = 6;
    private static final String CLEAR = "\u0015";   // Ctrl-U

    /** Made by the first test of a kind, and read by all. */
    @TempDir
    static Path all;

    private Path directory;
    private Emulator emulator;

    private boolean isMade(String kind) throws IOException {
        directory = all.resolve(kind);
        boolean made = Files.exists(directory);
        emulator = new Emulator(Files.createDirectories(directory));
        return made;
    }

    private void prepare() throws Exception {
        if (isMade("usual")) {
            return;
        }
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

    /** Beginnings of names, and the names as Python writes them. */
    private static final Map<String, String> ODD = new TreeMap<>(Map.ofEntries(
            Map.entry("aa", "b'aa with blanks'"),
            Map.entry("bb", "b'bb\\'single\"double'"),
            Map.entry("cc", "b'cc$HOME'"),
            Map.entry("dd", "b'dd`id`$(id)'"),
            Map.entry("ee", "b'ee!!x!y'"),
            Map.entry("ff", "b'ff;id>x'"),
            Map.entry("gg", "b'gg\\nnew'"),
            Map.entry("hh", "b'hh\\x1b]0;PWNED\\x07'"),
            Map.entry("ii", "b'ii\\\\back'"),
            Map.entry("-j", "b'-j-dash'"),
            Map.entry("kk", "b'kk*?[x]'"),
            Map.entry("ll", "b'll~ #(x)&|<>{a,b}'"),
            Map.entry("mm", "b'mm\\xe2\\x80\\xaebidi'"),
            Map.entry("nn", "b'nn\\xff\\xfe'"),
            Map.entry("~o", "b'~o=%^,'")));

    private void prepareOdd() throws Exception {
        if (isMade("odd")) {
            noteWordsOfCat();
            return;
        }
        var python = new StringBuilder("import os\nos.makedirs('odd/two')\nos.makedirs('odd/set of files')\n");
        ODD.forEach((typed, name) ->
                python.append("open(b'odd/' + %s, 'w').write('content %s\\n')\n".formatted(name, typed)));
        for (String name : List.of("x a", "x 'b", "x $c")) {
            python.append("open(\"odd/two/%s\", 'w').write('x\\n')\n".formatted(name));
        }
        python.append("open('odd/set of files/one', 'w').write('content one\\n')\n");
        for (var command : List.of(List.of("python3", "-c", python.toString()),
                List.of(emulator.volsh().toString(), "-c",
                        "volume create training-data; put -q -r odd training-data:/"))) {
            var made = emulator.run(command);
            assertThat(made.status()).as(made.told()).isZero();
        }
        noteWordsOfCat();
    }

    /** From now on {@code volsh cat} only notes its argument: all are read at the end, by one process. */
    private void noteWordsOfCat() throws Exception {
        Files.deleteIfExists(directory.resolve("words"));
        var real = Files.move(emulator.volsh(), emulator.volsh().resolveSibling("volsh-itself"),
                StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(emulator.volsh(), """
                #!/bin/sh
                if [ "$1" = cat ]; then
                    [ $# -eq 2 ] && printf '%%s\\0' "$2" >>words
                    exit
                fi
                exec '%s' "$@"
                """.formatted(real));
        assertThat(emulator.volsh().toFile().setExecutable(true)).isTrue();
    }

    private List<String> readNotedWords() throws Exception {
        var read = emulator.run(List.of("sh", "-c", "xargs -0 bin/volsh-itself cat <words >got"));
        assertThat(read.status()).as(read.told()).isZero();
        return Files.readAllLines(directory.resolve("got"));
    }

    /** Every sixth name, from this one on; with the large counts, all. */
    private static List<String> chosen(int first) {
        var all = List.copyOf(ODD.keySet());
        return all.stream().filter(name -> LONG || all.indexOf(name) % SIXTH == first % SIXTH).toList();
    }

    /**
     * Names that mean something to a shell, completed bare and in quotes, and read: what is in the line is that file.
     * Each time half of them, each with one of the kinds of quotes; with the large counts all with each.
     */
    private void quotes(List<String> shell, String load, List<String> quotes) throws Exception {
        prepareOdd();
        int turn = RANDOM.nextInt(SIXTH);
        System.out.printf("%s: seed %d%n", shell.getFirst(), turn);
        var steps = new ArrayList<>(List.of("[$%#>] ", load + "\r"));
        var expected = new ArrayList<String>();
        for (int kind = 0; kind < quotes.size(); kind++) {
            String quote = quotes.get(kind);
            for (String typed : chosen(2 * kind + turn)) {
                steps.addAll(List.of("^ready> ", "volsh cat " + quote + "training-data:/odd/" + typed + "\t",
                        ".*/odd/..+ ", "\r"));
                expected.add("content " + typed);
            }
            if (LONG || kind != turn % quotes.size()) {
                // a directory: the volume stays, and the word goes on
                steps.addAll(List.of("^ready> ", "volsh cat " + quote + "training-data:/odd/se\t",
                        ".*/odd/set.*of.*files/['\"]?", "o\t", ".*one['\"]? ", "\r"));
                expected.add("content one");
            }
            if (LONG || kind == turn % quotes.size()) {
                // what several names share, then one of them
                steps.addAll(List.of("^ready> ", "volsh cat " + quote + "training-data:/odd/two/\t", ".*two/x.* ['\"]?",
                        "a\t", ".*a['\"]? ", "\r"));
                expected.add("x");
            }
        }
        steps.addAll(List.of("^ready> ", "exit 7\r"));
        var ended = emulator.type(shell, steps.toArray(String[]::new));
        String raw = Files.readString(emulator.raw(), StandardCharsets.ISO_8859_1);
        assertThat(ended.status()).as(ended.told() + raw.replace('\u001b', 'E')).isEqualTo(7);
        assertThat(readNotedWords()).containsExactlyElementsOf(expected);
        for (String forbidden : List.of("\u001b]0;PWNED", "PWNED\u0007", "\u00e2\u0080\u00ae", "\u00ff")) {
            assertThat(raw.contains(forbidden)).as(raw.replace('\u001b', 'E')).isFalse();
        }
    }

    @Test
    void bashQuotes() throws Exception {
        quotes(List.of("bash", "--norc", "--noprofile", "-i"), "PS1='ready> '; source " + script("volsh.bash"),
                List.of("", "\"", "'"));
    }

    @Test
    void zshQuotes() throws Exception {
        quotes(List.of("zsh", "-f", "-i"), "autoload -U compinit; compinit -u -d \"$HOME/zcompdump\"; "
                + "PS1='ready> '; source " + script("_volsh"), List.of("", "\"", "'"));
    }

    @Test
    void fishQuotes() throws Exception {
        quotes(List.of("fish", "--no-config", "-i"),
                "function fish_prompt; echo -n 'ready> '; end; source " + script("volsh.fish"), List.of("", "\"", "'"));
    }

    private static String script(String name) {
        return Emulator.project().resolve("completions").resolve(name).toString();
    }

    @Test
    void bash() throws Exception {
        completes("^ready> ", List.of("bash", "--norc", "--noprofile", "-i"),
                "PS1='ready> '; source " + script("volsh.bash"), CLEAR);
    }

    @Test
    void zsh() throws Exception {
        completes("^ready> ", List.of("zsh", "-f", "-i"),
                "autoload -U compinit; compinit -u -d \"$HOME/zcompdump\"; PS1='ready> '; source " + script("_volsh"),
                CLEAR);
    }

    @Test
    void fish() throws Exception {
        completes("^ready> ", List.of("fish", "--no-config", "-i"),
                "function fish_prompt; echo -n 'ready> '; end; source " + script("volsh.fish"), CLEAR);
    }
}

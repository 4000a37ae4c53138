package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.line.Shorthand;
import volsh.command.run.Call;
import volsh.command.tree.Commands;

/**
 * Typical mistakes and what is answered, word by word, in {@code mistakes.txt}: there the messages can be read, rated
 * and made better. When they have changed on purpose, the file named by the failure has the new text.
 */
@Timeout(300)
final class MistakesTest {
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");
    private static final Pattern SUGGESTION = Pattern.compile("(?m)^hint: (?:did you mean: |[^\\n]*?: )?volsh (.*)$");
    private static final int LEAST = 38;

    @TempDir
    Path directory;

    private Workshop workshop;

    @BeforeEach
    void aHome() throws IOException {
        workshop = new Workshop(directory);
        Files.createDirectories(directory.resolve("notes"));
        workshop.file("notes/a.txt", "x");
        workshop.file("there.dump", "mine");
        workshop.file("plain.groovy", "volume.create 'made'\n");
        workshop.file("typo.groovy", "def v = volume.ensure 'training-data'\nprintln v.naem\n");
        workshop.file("options.groovy", "cli { option 'name' }\nvolume.ensure opts.name\n");
        for (String line : List.of("volume create training-data", "volume create ckpts", "store add lake file://"
                + directory + "/lake", "volume create on-lake --store lake", "mkdir -p training-data:/ds/images",
                "mkdir training-data:/notes", "put " + directory + "/notes/a.txt training-data:/ds/images/cat.jpg")) {
            var ended = workshop.run("-c", line);
            assertThat(ended.status()).as(ended.err()).isZero();
        }
    }

    private static List<String> words(String line) {
        return WORD.matcher(line).results().map(word ->
                word.group(1) != null ? word.group(1) : word.group(2) != null ? word.group(2) : word.group(3)).toList();
    }

    private static String golden() throws IOException {
        try (var file = MistakesTest.class.getResourceAsStream("mistakes.txt")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static List<String> typed() throws IOException {
        return golden().lines().filter(line -> line.startsWith("$ volsh ")).toList();
    }

    /** Local files are those of the home's directory; the test has another one. */
    private String[] arguments(String line) {
        return words(line.substring("$ volsh ".length())).stream()
                .map(word -> word.matches("notes?|notes?/a.txt|.*\\.groovy|.*\\.dump|nowhere")
                        ? directory.resolve(word).toString() : word).toArray(String[]::new);
    }

    private String answer(String line) throws IOException {
        var ended = workshop.run(arguments(line));
        assertThat(ended.out()).as(line).isEmpty();
        assertThat(ended.status()).as(line).isNotZero();
        return line + "\n" + ended.err().replace(directory + "/", "").replace(directory.toString(), "DIR")
                .replaceAll("\\d{4}-\\d\\d-\\d\\d[T ][0-9:.]+Z?", "TIME") + "\n";
    }

    @Test
    void whatIsAnsweredIsAsItWasRated() throws IOException {
        assertThat(typed()).hasSizeGreaterThanOrEqualTo(LEAST);
        var head = golden().lines().takeWhile(line -> !line.startsWith("$ ")).map(line -> line + "\n")
                .reduce("", String::concat);
        var answers = new StringBuilder(head);
        for (String line : typed()) {
            answers.append(answer(line));
        }
        Path actual = Files.writeString(Path.of(System.getProperty("java.io.tmpdir")).resolve("mistakes.txt"),
                answers.toString().stripTrailing() + "\n");
        assertThat(answers.toString().strip()).as("if it is better now: cp " + actual).isEqualTo(golden().strip());
    }

    /** Every command in a hint is one that is understood, and none is worse than what was typed. */
    @Test
    void hintsAreCommandsAndNoWorse() throws IOException {
        var tree = Commands.tree(workshop.services());
        for (String answered : golden().split("(?m)^(?=\\$ volsh )")) {
            String line = answered.lines().findFirst().orElseThrow();
            for (var hint : SUGGESTION.matcher(answered).results().toList()) {
                for (String command : hint.group(1).split(" && volsh ")) {
                    var meant = new ArrayList<>(words(command));
                    try {
                        Call.parse(tree, Shorthand.expand(meant));
                    } catch (volsh.command.failure.CommandFailure wrong) {
                        assertThat(wrong.getMessage()).as(line + " -> " + command).startsWith("missing required");
                    }
                    boolean dry = meant.contains("--dry-run") || meant.contains("--help") || meant.contains("help");
                    for (String worse : List.of("--force", "--discard", "-y", "--yes", "--purge", "rm", "destroy",
                            "remove")) {
                        boolean asTyped = line.matches(".*\\b(" + worse + "|destory|delete|mv)\\b.*");
                        assertThat(meant.contains(worse) && !dry && !asTyped).as(line + " -> " + command).isFalse();
                    }
                }
            }
        }
    }
}

package volsh.command.line;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.GlobalOptions;

/** Ways to leave out run. */
final class ShorthandTest {
    private static List<String> expand(String... words) {
        return Shorthand.expand(List.of(words));
    }

    @Test
    void filesCodeAndLinesAreRun() {
        assertThat(expand("./a.groovy", "x")).containsExactly("run", "./a.groovy", "x");
        assertThat(expand("a.volsh")).containsExactly("run", "a.volsh");
        assertThat(expand("-e", "1")).containsExactly("run", "-e", "1");
        assertThat(expand("-o", "json", "-n", "-c", "df")).containsExactly("-o", "json", "-n", "run", "-c", "df");
        assertThat(expand("--output=json", "--command=df")).containsExactly("--output=json", "run", "--command=df");
    }

    @Test
    void wordsWithoutACommandAreAPrompt() {
        for (var words : List.of(List.<String>of(), List.of("-q"), List.of("--no-rc"), List.of("-o", "json", "--no-rc"),
                List.of("-i"), List.of("--color=never"))) {
            assertThat(Shorthand.isPrompt(words)).as("" + words).isTrue();
        }
        for (var words : List.of(List.of("--help"), List.of("-V"), List.of("df"), List.of("-q", "df"), List.of("-c",
                "df"), List.of("-e", "1"), List.of("-i", "x.groovy"), List.of("-"), List.of("--", "df"))) {
            assertThat(Shorthand.isPrompt(words)).as("" + words).isFalse();
        }
        assertThat(Shorthand.optionsOfPrompt(List.of("--no-rc", "-o", "json", "-i"))).containsExactly("-o", "json");
        assertThat(Shorthand.expand(List.of("-q", "--no-rc"), true)).containsExactly("-q", "run", "-");
        assertThat(Shorthand.expand(List.of("df"), true)).containsExactly("df");
        assertThat(Shorthand.expand(List.of("-i", "x.groovy"), false)).containsExactly("run", "-i", "x.groovy");
        assertThat(Shorthand.expand(List.of("x.transcript"), false)).containsExactly("run", "x.transcript");
    }

    @Test
    void commandsStayCommands() {
        for (var words : List.of(List.<String>of(), List.of("mount", "a", "/mnt"), List.of("-n", "put", "a/b", "x:/"),
                List.of("--version"), List.of("-o", "./x", "df"), List.of("-o"))) {
            assertThat(Shorthand.expand(words)).isEqualTo(words);
        }
    }

    @Test
    void theOptionsThatTakeAWordAreKnown() {
        var taking = new TreeSet<String>();
        for (var option : CommandSpec.forAnnotatedObject(new GlobalOptions()).options()) {
            if (option.arity().max() > 0) {
                taking.addAll(List.of(option.names()));
            }
        }
        assertThat(Shorthand.TAKE_A_WORD).containsExactlyInAnyOrderElementsOf(taking);
    }
}

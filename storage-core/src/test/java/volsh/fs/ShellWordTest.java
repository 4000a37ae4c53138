package volsh.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ShellWordTest {
    private static final List<String> HOSTILE = List.of("a b", "it's", "$HOME", "`id`", "$(id)", "a;b", "a|b", "a&b",
            "*", "?x", "~", "#x", "!x", "a\\b", "\"x\"", "(x)", "{a,b}", "<x>", "a\tb", "a\nb", "\u001b]0;PWNED\u0007",
            "\u202ecod.exe", "Zo\u00eb", "v:/a b/c's.txt", "");

    @Test
    void plainWordsStayAsTheyAre() {
        assertThat(ShellWord.of("training-data:/a_b/c.txt")).isEqualTo("training-data:/a_b/c.txt");
        assertThat(ShellWord.of(Path.of("/mnt/x"))).isEqualTo("/mnt/x");
        assertThat(ShellWord.of("Zo\u00eb")).isEqualTo("Zo\u00eb");
    }

    @Test
    void othersAreQuoted() {
        assertThat(ShellWord.of("a b")).isEqualTo("'a b'");
        assertThat(ShellWord.of("it's")).isEqualTo("'it'\\''s'");
        assertThat(ShellWord.of(List.of("a b", "c"))).isEqualTo("'a b' c");
    }

    @Test
    void noneSendsControlCharacters() {
        for (String word : HOSTILE) {
            assertThat(ShellWord.of(word).chars().filter(Character::isISOControl)).as(word).isEmpty();
            assertThat(ShellWord.of(word)).doesNotContain("\u202e");
        }
    }

    /** The shell of the system reads each as the one word it was. */
    @Test
    void bashReadsThemBack() throws IOException, InterruptedException {
        var script = "printf '%s\\0' " + ShellWord.of(HOSTILE);
        var builder = new ProcessBuilder("bash", "-c", script).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C.UTF-8");
        var bash = builder.start();
        var words = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).as(words).isZero();
        assertThat(List.of(words.split("\0", -1)).subList(0, HOSTILE.size())).isEqualTo(HOSTILE);
    }
}

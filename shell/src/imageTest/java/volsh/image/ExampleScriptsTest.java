package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every script of scripts/examples does what it says. */
final class ExampleScriptsTest {
    @TempDir
    Path directory;

    private Image.Ran run(String script, Map<String, String> environment, String... arguments) throws IOException {
        var words = new ArrayList<>(List.of(Image.project().resolve("scripts/examples").resolve(script).toString()));
        words.addAll(List.of(arguments));
        return Image.run(environment, directory, words);
    }

    @Test
    void smoke() throws IOException {
        var ran = run("smoke.sh", Map.of("PATH", "/usr/bin:/bin", "VOLSH", Image.built().launcher().toString()));
        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.out()).isEqualTo("smoke test passed\n");
    }

    @Test
    void smokeFailsWhenVolshDoes() throws IOException {
        assertThat(run("smoke.sh", Map.of("PATH", "/usr/bin:/bin", "VOLSH", "/bin/false")).exit()).isNotZero();
    }
}

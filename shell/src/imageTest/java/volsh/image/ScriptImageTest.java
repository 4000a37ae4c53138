package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scripts in the image: with Groovy where it is needed, and without it where it is not. */
final class ScriptImageTest {
    @TempDir
    Path directory;

    private Image.Ran volsh(String... words) throws IOException {
        return volsh(Map.of(), words);
    }

    private Image.Ran volsh(Map<String, String> more, String... words) throws IOException {
        var environment = new java.util.HashMap<>(more);
        environment.put("VOLSH_HOME", directory.resolve("home").toString());
        var command = new ArrayList<>(List.of(Image.built().launcher().toString()));
        command.addAll(List.of(words));
        return Image.run(environment, directory, command);
    }

    @Test
    void everyWayToRunCode() throws IOException {
        assertThat(volsh("-e", "6 * 7")).isEqualTo(new Image.Ran(0, "42\n", ""));
        assertThat(volsh("-o", "json", "-e", "[size: 4.MiB]").out()).contains("\"sizeBytes\": 4194304");
        assertThat(volsh("-q", "-c", "volume create a -o name; volume list | where { it.blockSize > 1.MiB } | count")
                .out()).isEqualTo("a\n1\n");
        Path script = Files.writeString(directory.resolve("script"),
                "#!" + Image.built().launcher() + " run\nprintln args\nexit 42\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        assertThat(Image.run(Map.of("VOLSH_HOME", directory.resolve("home").toString()), directory,
                List.of(script.toString(), "x y", "--", "-n")))
                .isEqualTo(new Image.Ran(42, "[x y, -n]\n", ""));
        Path lines = Files.writeString(directory.resolve("a.volsh"), "volume list -o name\n");
        assertThat(volsh(lines.toString()).out()).isEqualTo("a\n");
    }

    /** slurmd sets no PATH and no HOME. */
    @Test
    void aPrologInAnEmptyEnvironment() throws IOException {
        Path script = Files.writeString(directory.resolve("p.groovy"),
                "volume.ensure 'a'\nprintln 'hidden'\nexport A: 1\n");
        var ran = volsh("run", "--prolog", script.toString());
        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.out()).isEqualTo("export A=1\n");
    }

    /** A script that ran before is not compiled again, and a plain command knows nothing of Groovy. */
    @Test
    void groovyIsLoadedOnlyByThoseWhoUseIt() throws IOException {
        Path log = directory.resolve("classes");
        Path script = Files.writeString(directory.resolve("p.groovy"), "println 'x'\n");
        volsh("run", script.toString());
        var logged = Map.of("VOLSH_JAVA_OPTS", "-Xlog:class+load:file=" + log);
        assertThat(volsh(logged, "run", script.toString()).out()).isEqualTo("x\n");
        assertThat(Files.readString(log)).contains("groovy.lang.Script");
        Files.delete(log);
        assertThat(volsh(logged, "volume", "list").exit()).isZero();
        assertThat(Files.readString(log)).contains("volsh.command.Action").doesNotContain("groovy.lang", "org.jline");
    }
}

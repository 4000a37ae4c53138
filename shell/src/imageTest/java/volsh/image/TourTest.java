package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.HomeProcesses;

/** Runs every command of the README's tour, in order, as a stranger would paste them. */
final class TourTest {
    private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path directory;

    @Test
    void everyCommandOfTheTourWorks() throws IOException {
        var script = tour();
        assertThat(script.lines().filter(line -> line.startsWith("volsh ")).count()).isGreaterThan(15);
        var ran = bash(script);
        assertThat(ran.exit()).as(ran.err() + ran.out()).isZero();
        assertThat(ran.out()).contains("class 3");
    }

    /** A tour with a wrong line fails: the test above can. */
    @Test
    void aWrongLineWouldBeNoticed() throws IOException {
        assertThat(bash("volsh volume create training-data\nvolsh ls training-data:/missing\ntrue\n").exit())
                .isEqualTo(3);
    }

    @Test
    void theMountPartWorksToo() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        var ran = bash(section("### Mount it", "## What it promises"));
        try {
            assertThat(ran.exit()).as(ran.err() + ran.out()).isZero();
            assertThat(ran.out()).contains("hello");
        } finally {
            bash("volsh umount --all --lazy");
            HomeProcesses.awaitEnd(directory);
        }
    }

    private Image.Ran bash(String script) throws IOException {
        var path = Image.built().home().resolve("bin") + ":/usr/bin:/bin";
        return Image.run(
                Map.of("PATH", path, "VOLSH_HOME", directory.resolve("home").toString()),
                directory, List.of("bash", "-euo", "pipefail", "-c", script));
    }

    private static String tour() throws IOException {
        return section("## A five-minute tour", "### Mount it");
    }

    private static String section(String from, String to) throws IOException {
        var readme = Files.readString(Image.project().resolve("README.md"));
        var section = readme.substring(readme.indexOf(from), readme.indexOf(to));
        return String.join("\n", BLOCK.matcher(section).results().map((MatchResult found) -> found.group(1)).toList());
    }
}

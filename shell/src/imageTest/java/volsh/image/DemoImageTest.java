package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.HomeProcesses;
import volsh.hang.Eventually;

/** The first command of the README at a machine that can mount: shows everything, and leaves nothing. */
final class DemoImageTest {
    @TempDir
    Path directory;

    private Path temporary;

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        temporary = Files.createDirectory(directory.resolve("with blank"));
    }

    private Map<String, String> environment() {
        return Map.of("TMPDIR", temporary.toString(), "VOLSH_HOME", directory.resolve("home").toString(), "PATH",
                "/usr/bin:/bin");
    }

    @Test
    void itMountsAndShowsEverything() throws IOException {
        var ran = Image.built().run(environment(), "demo");
        assertThat(ran.exit()).as(ran.out() + ran.err()).isZero();
        assertThat(ran.out()).contains("mounted training-data:/ on mnt", "$ cp -r dataset mnt/",
                "324 of 324 are identical", "removed  /dataset/shards/shard-002.tar", "1MiB of it new",
                "$ volsh doctor past", "checksum mismatch", "323 other files are intact")
                .doesNotContain(temporary + "/volsh-demo-1/");
        assertThat(temporary).isEmptyDirectory();
        assertThat(directory.resolve("home")).as("the user's own home").doesNotExist();
    }

    @Test
    void stoppedWhileMountedItLeavesNothing() throws Exception {
        Path out = directory.resolve("out");
        var builder = new ProcessBuilder(Image.built().launcher().toString(), "demo").redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().putAll(environment());
        var demo = builder.start();
        Eventually.holds("a program writes to the mount", () -> Files.readString(out).contains("$ cp -r"));
        new ProcessBuilder("kill", "-INT", String.valueOf(demo.pid())).start().waitFor();
        assertThat(Eventually.result("the end of the demo", demo.onExit()).exitValue()).as(Files.readString(out))
                .isEqualTo(130);
        assertThat(temporary).isEmptyDirectory();
        HomeProcesses.awaitEnd(directory);
    }
}

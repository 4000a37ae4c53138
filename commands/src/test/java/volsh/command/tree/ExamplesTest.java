package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.meta.ChildJvm;

/** Every example in the help of every command does what it says: it is run, in a directory and a home made for it. */
final class ExamplesTest {
    @TempDir
    Path directory;

    /** In a process of its own, because examples name files of the working directory. */
    @Test
    void everyExampleRuns() throws Exception {
        var work = Files.createDirectory(directory.resolve("work"));
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", ChildJvm.natives(), "-cp",
                absolute(System.getProperty("java.class.path")),
                ExamplesProgram.class.getName(), directory.resolve("home").toString())
                .directory(work.toFile()).redirectErrorStream(true).start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        List<String> run = output.lines().filter(line -> line.startsWith("ran: ")).toList();
        assertThat(output.lines().filter(line -> line.startsWith("as json: "))).as(output).hasSizeGreaterThan(30);
        assertThat(run).as(output).hasSizeGreaterThan(25).anyMatch(line -> line.contains("volsh volume create"));
    }

    private static String absolute(String classPath) {
        return String.join(":",
                List.of(classPath.split(":")).stream().map(part -> Path.of(part).toAbsolutePath().toString()).toList());
    }
}

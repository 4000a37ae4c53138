package volsh.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.meta.ChildJvm;

/** What a killed process left under a temporary name goes when the next one needs such a name; nothing else does. */
final class TemporaryNamesTest {
    @TempDir
    Path directory;

    /** PARENT: makes a directory and a file there, says which, and waits to be killed. */
    public static void main(String[] arguments) throws IOException {
        var made = TemporaryNames.makeDirectory(Path.of(arguments[0]), ".work-");
        Files.writeString(made.resolve("data"), "bytes");
        Files.writeString(TemporaryNames.fresh(Path.of(arguments[0]), ".part-"), "half");
        System.out.println(made);
        System.in.read();
    }

    @Test
    void onlyWhatAKilledProcessLeftGoes() throws Exception {
        Files.createDirectory(directory.resolve(".work-of-a-user"));
        var own = TemporaryNames.makeDirectory(directory, ".work-");
        try (var child = ChildJvm.start(directory, TemporaryNamesTest.class, directory)) {
            var left = Path.of(child.line());
            assertThat(left.resolve("data")).exists();
            TemporaryNames.makeDirectory(directory, ".work-");
            assertThat(left).as("its process lives").exists();
            child.kill();
            child.exitCode();
            TemporaryNames.makeDirectory(directory, ".work-");
            assertThat(left).doesNotExist();
        }
        TemporaryNames.fresh(directory, ".part-");
        try (var there = Files.list(directory)) {
            assertThat(there.map(path -> path.getFileName().toString())).noneMatch(name -> name.startsWith(".part-"))
                    .contains(".work-of-a-user");
        }
        assertThat(own).exists();
    }
}

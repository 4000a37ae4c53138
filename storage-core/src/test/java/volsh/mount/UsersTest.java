package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UsersTest {
    @TempDir
    Path directory;

    @Test
    void programsAreNamedWithWhatTheyDoThere() throws Exception {
        Path file = Files.createFile(directory.resolve("a file"));
        assertThat(new Users(Path.of("/proc"), directory).told()).isEmpty();
        var worker = new ProcessBuilder("sleep", "600").directory(directory.toFile()).start();
        var reader = new ProcessBuilder("sleep", "600").redirectInput(file.toFile()).start();
        try {
            assertThat(new Users(Path.of("/proc"), directory).told()).containsExactlyInAnyOrder(
                    "process %d (sleep) works in %s".formatted(worker.pid(), directory),
                    "process %d (sleep) has %s open".formatted(reader.pid(), file));
        } finally {
            worker.destroyForcibly().waitFor();
            reader.destroyForcibly().waitFor();
        }
    }

    /** Processes end while we look, and others' secrets stay theirs. */
    @Test
    void whatCannotBeSeenIsLeftOut() throws Exception {
        Files.createDirectories(directory.resolve("proc/17/fd"));
        Files.createSymbolicLink(directory.resolve("proc/17/cwd"), Path.of("/elsewhere"));
        Files.createDirectories(directory.resolve("proc/18"));
        Files.createDirectories(directory.resolve("proc/self"));
        assertThat(new Users(directory.resolve("proc"), directory.resolve("mnt")).told()).isEmpty();
        assertThat(new Users(directory.resolve("nothing"), directory).told()).isEmpty();
    }
}

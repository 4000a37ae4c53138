package volsh.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the JDK says only in the system's words becomes a type in one place; everything else asks for the type. */
final class SystemWordsTest {
    @ParameterizedTest
    @CsvSource({
        "No space left, NoSpaceException", "Disk quota exceeded, NoSpaceException",
        "Read-only file system, ReadOnlyDiskException", "Broken pipe, BrokenPipeException"})
    void oneClassLooksForThem(String words, String only) throws IOException {
        assertThat(sourcesWith("\"" + words)).containsExactly(only + ".java");
    }

    @Test
    void wantOfSpaceIsFoundBehindOtherFailures() {
        var disk = new FileSystemException("/a", null, "No space left on device");
        assertThat(NoSpaceException.typed(disk)).isInstanceOf(NoSpaceException.class).hasMessage(disk.getMessage())
                .hasCause(disk);
        assertThat(NoSpaceException.isBehind(new IOException("the store", new NoSpaceException("full", null))))
                .isTrue();
        assertThat(NoSpaceException.isBehind(new IOException(disk))).isTrue();
        assertThat(NoSpaceException.isQuotaBehind(disk)).isFalse();
        assertThat(NoSpaceException.isQuotaBehind(new IOException(new IOException("Disk quota exceeded")))).isTrue();
        var other = new IOException("Input/output error");
        assertThat(NoSpaceException.typed(other)).isSameAs(other);
        assertThat(NoSpaceException.isBehind(other)).isFalse();
    }

    private static List<String> sourcesWith(String quoted) throws IOException {
        var project = Path.of(System.getProperty("volsh.project", "")).toAbsolutePath();
        var found = new ArrayList<String>();
        for (var module : List.of("storage-core", "commands", "shell")) {
            try (var files = Files.walk(project.resolve(module).resolve("src/main/java"))) {
                files.filter(path -> path.toString().endsWith(".java") && hasCode(path, quoted))
                        .forEach(path -> found.add(path.getFileName().toString()));
            }
        }
        return found;
    }

    /** Outside comments. */
    private static boolean hasCode(Path file, String quoted) {
        try (var lines = Files.lines(file)) {
            return lines.map(String::strip)
                    .anyMatch(line -> line.contains(quoted) && !line.startsWith("*") && !line.startsWith("/*"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}

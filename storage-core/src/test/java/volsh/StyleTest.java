package volsh;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Lines have at most 120 columns: in all Java sources, in the build files, and in the scripts that build and start the
 * program. What cannot be broken may be longer: text blocks, and a single word such as a URL.
 */
final class StyleTest {
    private static final int COLUMNS = 120;
    private static final List<String> SOURCES = List.of("storage-core/src", "commands/src", "shell/src", "gradle/dev");
    private static final List<String> BUILD = List.of("build.gradle", "settings.gradle", "storage-core/build.gradle",
            "commands/build.gradle", "shell/build.gradle", "gradle/lint.gradle", "gradle/gradle-4.gradle",
            "jlink/image.gradle", "gradle/build.sh", "check", "dev", "volsh", "jlink/bin/volsh",
            "jlink/bin/mount.volsh");

    @Test
    void linesHaveAtMost120Columns() throws IOException {
        Path project = Path.of(System.getProperty("volsh.project", "")).toAbsolutePath();
        var files = new ArrayList<Path>();
        for (String source : SOURCES) {
            try (var below = Files.walk(project.resolve(source))) {
                below.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
            }
        }
        assertThat(files).hasSizeGreaterThan(1000);
        BUILD.forEach(file -> files.add(project.resolve(file)));
        var tooLong = new ArrayList<String>();
        for (Path file : files) {
            tooLong(Files.readAllLines(file)).forEach(line -> tooLong.add(project.relativize(file) + ":" + line));
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void textBlocksAndSingleWordsMayBeLonger() {
        String words = "word ".repeat(24).strip() + ".";
        assertThat(tooLong(List.of(words, words + "!", "\"\"\"", words + "!", "\"\"\";", " * " + "u".repeat(120),
                words + "!")))
                .as("only the second and the last").containsExactly("2", "7");
        assertThat(tooLong(List.of("\"\"\"a\"\"\" " + words))).as("a block that ends where it began")
                .containsExactly("1");
    }

    /** Numbers of the lines that are. */
    private static List<String> tooLong(List<String> lines) {
        var found = new ArrayList<String>();
        boolean inBlock = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            boolean toggles = line.split("\"\"\"", -1).length % 2 == 0;
            boolean isWord = Stream.of(line.strip().split("\\s+")).filter(word -> !word.matches("[*/]+")).count() < 2;
            if (line.codePointCount(0, line.length()) > COLUMNS && !inBlock && !toggles && !isWord) {
                found.add(Integer.toString(i + 1));
            }
            inBlock ^= toggles;
        }
        return found;
    }
}

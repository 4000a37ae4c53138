package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A hint can be pasted: no command in a message of the program has a placeholder such as STORE where the user would have to know better. */
final class HintsTest {
    /** What help shows has placeholders: that is what they are for. */
    private static final Pattern ANNOTATION =
            Pattern.compile("@(?:Examples|Command|Option|Parameters)\\((?:[^()\"]|\"(?:[^\"\\\\]|\\\\.)*+\"|\\([^()]*\\))*+\\)");
    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/");
    private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*+)\"");
    private static final Pattern COMMAND = Pattern.compile("volsh [a-z].*");
    private static final Pattern PLACEHOLDER = Pattern.compile("(?<![A-Za-z_%$])[A-Z]{3,}(?![A-Za-z_=])");

    /** Words in upper case that are no placeholders, or texts that are no hints, and why. */
    private static final Map<String, String> ALLOWED = Map.of(
            "Topics (volsh help TOPIC)", "a heading of the help, whose lines are the topics",
            "more workers (volsh bench run loader --on %s), or decode on the GPU", "the processor is called so");

    static List<String> placeholders(String source) {
        var found = new ArrayList<String>();
        var bare = ANNOTATION.matcher(COMMENT.matcher(source).replaceAll("")).replaceAll("");
        var texts = TEXT.matcher(bare);
        while (texts.find()) {
            var command = COMMAND.matcher(texts.group(1));
            if (command.find() && PLACEHOLDER.matcher(command.group()).find() && !ALLOWED.containsKey(texts.group(1))) {
                found.add(texts.group(1));
            }
        }
        return found;
    }

    @Test
    void noneHasAPlaceholder() throws IOException {
        var project = Path.of(System.getProperty("volsh.project", "")).toAbsolutePath();
        var found = new ArrayList<String>();
        int files = 0;
        for (var module : List.of("storage-core", "commands", "shell")) {
            try (var sources = Files.walk(project.resolve(module).resolve("src/main/java"))) {
                for (var file : (Iterable<Path>) sources.filter(path -> path.toString().endsWith(".java"))::iterator) {
                    files++;
                    placeholders(Files.readString(file)).forEach(text -> found.add(file.getFileName() + ": " + text));
                }
            }
        }
        assertThat(files).as("the sources were found").isGreaterThan(500);
        assertThat(found).isEmpty();
    }

    @Test
    void aPlaceholderIsFound() {
        assertThat(placeholders("x.hint(\"volsh stripe rebalance d --add STORE\")")).hasSize(1);
        assertThat(placeholders("@Examples({\"volsh put FILE VOLUME:/path\"}) /** volsh put FILE */ x.hint(\"volsh put %s\")")).isEmpty();
    }
}

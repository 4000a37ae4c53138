package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import volsh.command.Cancellation;
import volsh.command.GlobalOptions;
import volsh.command.TestHost;
import volsh.command.run.Caller;
import volsh.command.run.Words;

/**
 * Every command that the README mentions exists, with these options and values. {@code TourTest} runs those that need
 * nothing but a home; the others need buckets and databases.
 */
final class ReadmeCommandsTest {
    private static final Pattern BLOCK = Pattern.compile("```(?:sh)?\n(.*?)```", Pattern.DOTALL);
    private static final Pattern MENTION = Pattern.compile("`(volsh [a-z][^`]*)`");

    private final TestHost host = new TestHost();
    private final Caller caller = new Caller(Commands.tree(host.services()), host.host(), GlobalOptions.of(),
            Cancellation::new);

    private static String readme() throws IOException {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("README.md"))) {
            at = at.getParent();
        }
        String text = Files.readString(at.resolve("README.md"));
        return text.substring(0, text.indexOf("## Not yet available"));
    }

    /** What is wrong with the commands in the blocks, and with those in the text, which may lack arguments. */
    private List<String> faults(String text) {
        var faults = new ArrayList<String>();
        var lines = BLOCK.matcher(text).results().flatMap(block -> block.group(1).lines());
        lines.flatMap(line -> Stream.of(line.replaceFirst("\\s+#.*", "").split(" (?:&&|\\|) ")))
                .filter(line -> line.startsWith("volsh ")).forEach(line -> check(line, false, faults));
        MENTION.matcher(BLOCK.matcher(text).replaceAll("")).results().map(mention -> mention.group(1))
                .filter(line -> !line.contains("\\|")).forEach(line -> check(line, true, faults));
        return faults;
    }

    private void check(String line, boolean partial, List<String> faults) {
        var words = Words.of(line.substring("volsh ".length()));
        caller.problem(words, partial).ifPresent(wrong -> faults.add(line + ": " + wrong.getMessage()));
    }

    @Test
    void everyCommandExists() throws IOException {
        assertThat(MENTION.matcher(readme()).results().count()).isGreaterThan(40);
        assertThat(faults(readme())).isEmpty();
    }

    @Test
    void aWrongOneIsNoticed() {
        assertThat(faults("`volsh volume crate x` and `volsh df --nothing`\n```\nvolsh snapshot create\n```\n"))
                .hasSize(3);
    }
}

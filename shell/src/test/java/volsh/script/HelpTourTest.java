package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.man.Topic;
import volsh.command.run.Words;

/** Every line of {@code help tour} works, in order; and what it makes is gone at its end. */
final class HelpTourTest {
    private static final Pattern FED = Pattern.compile("printf '([^']*)' \\| (volsh .*)");

    @TempDir
    Path directory;

    @Test
    void everyLineOfTheTourRuns() throws IOException {
        var workshop = new Workshop(directory);
        var shown = new ArrayList<String>();
        for (String line : lines()) {
            Workshop.Ended ended = run(workshop, line);
            assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
            shown.add(ended.out());
        }
        assertThat(shown).hasSizeGreaterThan(15);
        assertThat(String.join("", shown)).contains("class 7", "name,blockSizeBytes\ntour-data,1048576",
                "tour-data:/labels/3.txt", "\n2\n");
        assertThat(workshop.run("volume", "list", "-o", "name").out()).isEmpty();
    }

    private static List<String> lines() {
        return Topic.named("tour").orElseThrow().text().lines().map(String::strip).filter(line -> line.startsWith("$ "))
                .map(line -> line.substring(2)).toList();
    }

    private static Workshop.Ended run(Workshop workshop, String line) throws IOException {
        Matcher fed = FED.matcher(line);
        boolean input = fed.matches();
        workshop.typing(input ? fed.group(1).replace("\\n", "\n") : "");
        assertThat(input || line.startsWith("volsh ")).as("only volsh: " + line).isTrue();
        return workshop.run(Words.of(input ? fed.group(2) : line).toArray(String[]::new));
    }
}

package volsh.command.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.vfs.ManualClock;

/**
 * What {@code undelete} says beside what it does: how long a removal took, and how to have what had been removed before
 * it; that command works as it is printed.
 */
final class UndeleteLinesTest {
    private static final Pattern HINT = Pattern.compile("to restore them: volsh (undelete \\S+ --at \\S+ --to \\S+)");

    @TempDir
    Path directory;
    private final ManualClock clock = new ManualClock();
    private Scratch scratch;

    @BeforeEach
    void aTree() throws IOException {
        scratch = new Scratch(directory.resolve("home"), clock);
        scratch.ok("volume create data --retention 30d");
        var tree = Files.createDirectories(directory.resolve("d"));
        for (String name : new String[] {"early", "a", "b", "c"}) {
            Files.writeString(tree.resolve(name), "this is " + name);
        }
        scratch.ok("put -r %s data:/".formatted(tree));
        clock.advance(Duration.ofMinutes(1));
    }

    @Test
    void aRemovalWithinASecondIsNotTimed() {
        scratch.ok("rm -r -y data:/d");
        assertThat(scratch.ok("undelete data:/d").err()).doesNotContain("the removal took", "had been removed before");
        assertThat(scratch.ok("cat data:/d/a").out()).isEqualTo("this is a");
    }

    @Test
    void aLongRemovalAndWhatWentBeforeIt() {
        scratch.ok("rm -y data:/d/early");
        clock.advance(Duration.ofHours(5));
        var first = clock.instant();
        scratch.ok("rm -y data:/d/a");
        clock.advance(Duration.ofSeconds(1));
        scratch.ok("rm -y data:/d/b");
        clock.advance(Duration.ofSeconds(1));
        scratch.ok("rm -r -y data:/d");
        var last = clock.instant();
        clock.advance(Duration.ofMinutes(3));
        var said = scratch.ok("undelete data:/d").err();
        assertThat(said).contains(("the removal took 3 s, from %s to %s: each name is restored as it was just before "
                + "its removal").formatted(second(first), second(last)));
        assertThat(said).contains("warning: 1 name below data:/d had been removed before %s".formatted(second(first)));
        assertThat(scratch.ok("ls data:/d").out()).isEqualTo("a\nb\nc\n");

        var hint = HINT.matcher(said);
        assertThat(hint.find()).as(said).isTrue();
        scratch.ok(hint.group(1));
        assertThat(scratch.ok("ls data:/d.before").out()).isEqualTo("a\nb\nc\nearly\n");
        assertThat(scratch.ok("cat data:/d.before/early").out()).isEqualTo("this is early");
    }

    /** A slash at the end of the path does not end up in the name that the hint gives. */
    @Test
    void theHintOfAPathWithASlash() {
        scratch.ok("rm -y data:/d/early");
        clock.advance(Duration.ofHours(5));
        scratch.ok("rm -r -y data:/d");
        clock.advance(Duration.ofMinutes(3));
        assertThat(scratch.ok("undelete data:/d/").err()).contains("--to data:/d.before");
    }

    private static String second(Instant moment) {
        return Instant.ofEpochSecond(moment.getEpochSecond()).toString();
    }
}

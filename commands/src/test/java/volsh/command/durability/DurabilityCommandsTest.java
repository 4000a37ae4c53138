package volsh.command.durability;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;

/** A file that is stored says since when, in every form of output. */
@Tag("data")
final class DurabilityCommandsTest {
    @TempDir
    Path directory;

    private Ended ok(Scratch scratch, String line) {
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    @Test
    void aStoredFileSaysSinceWhen() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        ok(scratch, "volume create a");
        var source = Files.write(directory.resolve("f"), new byte[200_000]);
        var before = Instant.now().minus(Duration.ofSeconds(2));   // clocks of file systems tick slowly
        ok(scratch, "put %s a:/f".formatted(source));
        assertThat(ok(scratch, "durability a:/f -o value:state").out()).isEqualTo("stored\n");
        String json = "";
        // a store that is late for seconds is not waited for
        for (int tries = 0; tries < 20 && !json.contains("\"since\": \""); tries++) {
            json = ok(scratch, "durability a:/f -o json").out();
        }
        var since = json.replaceAll("(?s).*\"since\": *\"([^\"]*)\".*", "$1");
        assertThat(Instant.parse(since)).isBetween(before, Instant.now().plus(Duration.ofSeconds(2)));
    }

    /** Without time to wait for anything, what is so already counts. */
    @Test
    void noTimeIsEnoughForWhatIsSo() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        ok(scratch, "volume create a --ship-metadata off");
        ok(scratch, "put %s a:/f".formatted(Files.write(directory.resolve("f"), new byte[200_000])));
        assertThat(ok(scratch, "durability wait a:/f --until stored --timeout 0s -o value:state").out())
                .isEqualTo("stored\n");
    }
}

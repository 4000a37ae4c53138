package volsh.command.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.cache.MountedVolume;
import volsh.command.tree.Scratch;
import volsh.place.Chaos;

/** What a mount meets is an event for whoever asks later: here, a store that is down for a while. */
final class EventsTest {
    private static final int TRIES = 400;

    @TempDir
    Path directory;

    @Test
    void aStoreThatIsDownAndComesBack() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        for (var line : List.of("store add a file://%s/a".formatted(directory), "store add b file://%s/b".formatted(directory),
                "volume create v --store a,b --mirror 2 --block-size 64KiB --inline 0")) {
            var ended = scratch.run(line);
            assertThat(ended.status()).as(ended.err()).isZero();
        }
        try (var mount = new MountedVolume(scratch, "v", directory.resolve("m"), "")) {
            scratch.volumes().spreading().order("b", Chaos.until(Instant.now().plusSeconds(600)).withDown());
            await(scratch, mount, "store 'b' is down");
            scratch.volumes().spreading().end("b");
            await(scratch, mount, "store 'b' answers again");
        }
        var kinds = scratch.run("events -o csv --columns level,kind,subject --no-headers").out().lines().distinct().toList();
        assertThat(kinds).contains("info,mount,%s/m".formatted(directory), "warning,store,%s/m".formatted(directory), "info,store,%s/m"
                .formatted(directory));
        assertThat(scratch.run("events --last 1 -o value:text").out()).isEqualTo("v:/ is unmounted\n");
    }

    /** Writes until the event is there. */
    private static void await(Scratch scratch, MountedVolume mount, String wanted) throws Exception {
        var bytes = new byte[70_000];
        new Random(1).nextBytes(bytes);
        for (int i = 0; i < TRIES && !scratch.run("events --kind store -o value:text").out().contains(wanted); i++) {
            mount.write("f" + i, bytes);
            Thread.sleep(20);
        }
        assertThat(scratch.run("events --kind store -o value:text").out()).contains(wanted);
    }
}

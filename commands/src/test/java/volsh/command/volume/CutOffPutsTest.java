package volsh.command.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.meta.ChildJvm;

/**
 * A process that is killed in the middle of a put leaves bytes that no listing shows: they are named, and given back.
 */
@Timeout(120)
final class CutOffPutsTest {
    @TempDir
    Path directory;

    /** HOME LINE: runs one line of volsh. */
    public static void main(String[] arguments) {
        System.exit(new Scratch(Path.of(arguments[0])).run(arguments[1]).status());
    }

    private List<Path> left(Path store) throws IOException {
        try (var files = Files.exists(store) ? Files.walk(store) : java.util.stream.Stream.<Path>empty()) {
            return files.filter(file -> file.getFileName().toString().startsWith(".put-")).toList();
        } catch (java.io.UncheckedIOException moved) {
            return List.of();   // it became a block meanwhile
        }
    }

    /** Stops the process where a put is under way; false if it ended before. */
    private boolean stopped(ChildJvm child, Path store) throws Exception {
        while (child.isAlive()) {
            if (!left(store).isEmpty()) {
                child.signal("STOP");
                if (!left(store).isEmpty()) {
                    return true;
                }
                child.signal("CONT");
            }
        }
        return false;
    }

    @Test
    void theyAreNamedAndDeletedButNotThoseOfALivingProcess() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        var store = directory.resolve("store");
        scratch.ok("store add s1 file://" + store);
        scratch.ok("volume create data --store s1 --block-size 1MiB");
        byte[] bytes = new byte[64 << 20];
        new SplittableRandom(1).nextBytes(bytes);
        Files.write(directory.resolve("big"), bytes);
        boolean caught = false;
        for (int i = 0; i < 20 && !caught; i++) {
            try (var child = ChildJvm.start(directory, CutOffPutsTest.class, scratch.home(),
                    "put %s data:/big%d".formatted(directory.resolve("big"), i))) {
                caught = stopped(child, store);
                caught &= !left(store).isEmpty();    // it may have ended before it stopped
                var gc = caught ? scratch.run("volume gc data --delete --age 0s -o value:cutOff") : null;
                caught &= gc != null && gc.status() != 6;    // or it was stopped while it held the metadata
                if (caught) {
                    assertThat(gc.out().strip()).as("its process lives: " + gc.err()).isEqualTo("0");
                    assertThat(left(store)).isNotEmpty();
                }
            }
            if (!caught) {       // what that process left is not what this test is about
                scratch.ok("volume gc data --delete --age 0s");
            }
        }
        assertThat(caught).as("a process was killed in the middle of a put").isTrue();
        var name = left(store).getFirst().getFileName().toString();
        var checked = scratch.ok("volume check data");
        assertThat(checked.out()).contains("put-cut-off", name, "harmless");
        assertThat(checked.err()).contains("unfinished put", "volsh volume gc data --delete");
        assertThat(scratch.ok("volume gc data -o value:cutOff").out().strip())
                .isEqualTo(Integer.toString(left(store).size()));
        assertThat(left(store)).as("only counted").isNotEmpty();
        assertThat(scratch.ok("volume gc data --delete").err()).contains("unfinished put");
        assertThat(left(store)).isEmpty();
        assertThat(scratch.ok("volume check data").out()).doesNotContain("put-cut-off");
    }
}

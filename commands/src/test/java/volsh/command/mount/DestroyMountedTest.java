package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

/** Who would destroy a mounted volume is told to unmount it, and not how to destroy it all the same. */
@Timeout(300)
final class DestroyMountedTest {
    @TempDir
    Path directory;

    @Test
    void theHintIsToUnmount() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create data");
        var place = directory.resolve("mnt");
        try (var _ = ServedVolume.here(scratch, "data", place, "")) {
            for (String line : new String[] {"volume destroy data --confirm data", "volume destroy data --dry-run"}) {
                var refused = scratch.run(line);
                assertThat(refused.status()).as(line).isEqualTo(5);
                assertThat(refused.err()).contains("hint: volsh umount " + place).doesNotContain("--force");
            }
        }
        scratch.ok("volume destroy data --confirm data");
    }
}

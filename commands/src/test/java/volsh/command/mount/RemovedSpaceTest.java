package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;
import volsh.unit.ByteSize;

/**
 * What was removed on a mount a moment ago: it is shown at once, {@code volume gc --delete} gives it back, and says
 * what it leaves, why and until when.
 */
@Timeout(150)
final class RemovedSpaceTest {
    @TempDir
    Path directory;

    private static long number(Scratch scratch, String line) {
        return Long.parseLong(scratch.ok(line).out().strip());
    }

    @Test
    void isShownAtOnceAndGivenBack() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create data --block-size 1MiB");
        try (var served = ServedVolume.here(scratch, "data", directory.resolve("mnt"), "");
                var program = Python.in(served.mountPoint())) {
            assertThat(served.write("a", 2).said()).isEmpty();
            assertThat(served.write("b", 3).said()).isEmpty();
            assertThat(served.sh("ln b twice && rm b").said()).isEmpty();
            assertThat(number(scratch, "df data -o value:reclaimable")).as("it has another name").isZero();
            assertThat(served.sh("rm a").said()).isEmpty();
            assertThat(number(scratch, "df data -o value:reclaimable")).isBetween(2 * ByteSize.MIB, 3 * ByteSize.MIB);
            assertThat(number(scratch, "df data -o value:stored")).as("counted once")
                    .isBetween(5 * ByteSize.MIB, 6 * ByteSize.MIB);
            assertThat(scratch.ok("volume show data -o json").out())
                    .contains("\"reclaimableBlocks\": 2", "\"reclaimableSince\": \"20");
            assertThat(scratch.ok("status -o json").out())
                    .contains("deleted in 2 blocks, waiting to be reclaimed since 20");
            assertThat(scratch.ok("volume gc data").err())
                    .contains("unreachable (--delete deletes it): 0 old versions, 2 blocks");
            assertThat(scratch.ok("volume gc data --delete").err()).contains("deleted: 0 old versions, 2 blocks")
                    .doesNotContain("kept for now");
            assertThat(number(scratch, "df data -o value:reclaimable")).isZero();

            assertThat(program.does("f = os.open('twice', os.O_RDONLY)")).isEqualTo("ok");
            assertThat(served.sh("rm twice").said()).isEmpty();
            assertThat(number(scratch, "df data -o value:reclaimable")).isBetween(3 * ByteSize.MIB, 4 * ByteSize.MIB);
            var left = scratch.ok("volume gc data --delete");
            assertThat(left.err()).contains("kept for now: 3 blocks", "open in 'mount %s' (process "
                    .formatted(served.mountPoint()), "after the last of these closes them");
            assertThat(left.out()).contains("3");
            assertThat(program.does("assert len(os.pread(f, 4 << 20, 0)) == 3 << 20")).isEqualTo("ok");
            assertThat(program.does("os.close(f)")).isEqualTo("ok");
            served.says("volume gc data --delete", 0, "deleted: 0 old versions, 3 blocks");
            assertThat(number(scratch, "df data -o value:stored")).isZero();
        }
    }

    /**
     * What the volume keeps for a while is no space that can be had back: it is not called so, and gc says who keeps
     * it.
     */
    @Test
    void whatHistoryKeepsIsNotCalledReclaimable() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create data --block-size 1MiB --retention 1d");
        try (var served = ServedVolume.here(scratch, "data", directory.resolve("mnt"), "")) {
            assertThat(served.write("a", 2).said()).isEmpty();
            Eventually.value("the file has a history", () -> scratch.run("history data:/a -o name").status(),
                    status -> status == 0);
            Eventually.nextSecond();   // a version is kept that was there at the end of a second
            assertThat(served.sh("rm a").said()).isEmpty();
            assertThat(number(scratch, "df data -o value:reclaimable")).isZero();
            assertThat(scratch.ok("volume gc data --delete").err())
                    .contains("deleted: 0 old versions, 0 blocks", "kept: history, for 1d", "volsh undelete");
            scratch.ok("undelete data:/a");
        }
    }
}

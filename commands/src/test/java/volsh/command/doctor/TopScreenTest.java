package volsh.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import volsh.command.render.DisplayWidth;
import volsh.doctor.ActivitySample;
import volsh.doctor.Subject;
import volsh.mount.AtRisk;
import volsh.mount.MountStats;

/** What top shows fits the screen, however small, and says which stage is the narrowest. */
final class TopScreenTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** 100 reads of 1 MiB that all waited for a store that takes 40 ms. */
    private static Activity slow(int number) {
        var sample = new ActivitySample(SECOND, 10, 50, Duration.ofMillis(5), 100, 100 << 20, Duration.ofSeconds(4),
                SECOND, 0, 0, Duration.ZERO, 100, 100 << 20,
                Duration.ofSeconds(4), 0, 800, 0, 1 << 20, 256 << 20, 0, 0, Duration.ofMillis(50), Duration.ZERO,
                List.of(), Optional.empty(), MountStats.Opened.NOTHING, 1);
        return new Activity(Path.of("/mnt/" + number), sample, new Subject("/mnt/" + number, "data", 1, 1),
                AtRisk.NOTHING);
    }

    @Test
    void theNarrowestStageIsMarked() {
        var lines = new TopScreen(200, 24, true).lines("top", List.of(slow(1)));
        assertThat(lines.get(3))
                .isEqualTo("  [store 100MiB/s, 40ms] ─▶ cache 0% ─▶ mount 100MiB/s, 40ms ─▶ job 4.0 at once");
        assertThat(lines.get(4)).contains("the store is slow", "100 gets of 40.0 ms");
        assertThat(lines.get(5)).as("on a line of its own: what is to be typed must not be cut off")
                .isEqualTo("  try: volsh cache warm /mnt/1");
        assertThat(new TopScreen(200, 24, false).lines("top", List.of(slow(1))).get(3)).contains(" -> ");
    }

    @Test
    void itFitsWhateverTheScreen() {
        for (int mounts = 0; mounts < 12; mounts++) {
            var all = IntStream.range(0, mounts).mapToObj(TopScreenTest::slow).toList();
            for (int width : new int[] {1, 2, 9, 40, 80, 300}) {
                for (int height : new int[] {1, 2, 3, 5, 10, 24, 60}) {
                    var lines = new TopScreen(width, height, true).lines("volsh top: %d mounts".formatted(mounts), all);
                    assertThat(lines.size()).as("%d mounts on %dx%d", mounts, width, height)
                            .isLessThanOrEqualTo(Math.max(1, height - 1));
                    assertThat(lines).allMatch(line -> DisplayWidth.of(line) <= width);
                }
            }
        }
        assertThat(new TopScreen(80, 10, true).lines("top", IntStream.range(0, 12).mapToObj(TopScreenTest::slow)
                .toList())).last().asString().contains("and 5 more mounts");
    }
}

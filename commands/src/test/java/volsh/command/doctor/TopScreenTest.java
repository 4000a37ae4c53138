package volsh.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import volsh.command.console.KeyInput.Key;
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

    private static List<String> lines(int width, int height, boolean unicode, List<Activity> mounts) {
        return new TopScreen(width, height, unicode, false).lines(List.of("volsh top: some mounts; q leaves", "top"),
                mounts, Map.of());
    }

    @Test
    void theNarrowestStageIsMarked() {
        var lines = lines(200, 24, true, List.of(slow(1)));
        assertThat(lines.get(3))
                .isEqualTo("  [store 100MiB/s, 40ms] ─▶ cache 0% ─▶ mount 100MiB/s, 40ms ─▶ job 4.0 at once");
        assertThat(lines.get(4)).contains("the store is slow", "100 gets of 40.0 ms");
        assertThat(lines.get(5)).as("on a line of its own: what is to be typed must not be cut off")
                .isEqualTo("  try: volsh cache warm /mnt/1");
        assertThat(lines(29, 24, true, List.of(slow(1))).get(5)).isEqualTo("  try: volsh doctor /mnt/1");
        assertThat(lines(200, 24, false, List.of(slow(1))).get(3)).contains(" -> ");
    }

    @Test
    void itFitsWhateverTheScreen() {
        for (int mounts = 0; mounts < 12; mounts++) {
            var all = IntStream.range(0, mounts).mapToObj(TopScreenTest::slow).toList();
            for (int width : new int[] {1, 2, 9, 40, 80, 300}) {
                for (int height : new int[] {1, 2, 3, 5, 10, 24, 60}) {
                    var lines = lines(width, height, true, all);
                    assertThat(lines.size()).as("%d mounts on %dx%d", mounts, width, height)
                            .isLessThanOrEqualTo(Math.max(1, height - 1));
                    assertThat(lines).allMatch(line -> DisplayWidth.of(line) <= width);
                }
            }
        }
        assertThat(lines(80, 10, true, IntStream.range(0, 12).mapToObj(TopScreenTest::slow).toList()))
                .last().asString().contains("and 5 more mounts");
    }

    @Test
    void aNarrowScreenShowsEveryStage() {
        assertThat(lines(60, 24, true, List.of(slow(1)))).contains(
                "  [store 100MiB/s] ─▶ cache 0% ─▶ mount 100MiB/s ─▶ job 4.0");
        assertThat(lines(5, 24, true, List.of()).getFirst()).as("the shortest title that fits").isEqualTo("top");
    }

    @Test
    void troubleIsInColour() {
        var lines = new TopScreen(120, 24, true, true).lines(List.of("top"), List.of(slow(1)), Map.of());
        assertThat(lines.get(3)).contains("\u001b[33m[store 100MiB/s, 40ms]\u001b[0m ─▶ cache");
        assertThat(lines.get(4)).startsWith("  \u001b[33mthe store is slow\u001b[0m");
    }

    @Test
    void theLastMinutesAreBars() {
        var bars = new Sparkline();
        bars.add(0);
        assertThat(bars.text(30, true)).as("one value is no history").isEmpty();
        bars.add(50);
        bars.add(100);
        assertThat(bars.text(30, true)).isEqualTo("▁▅█");
        assertThat(bars.text(2, false)).isEqualTo("=#");
        var shown = new TopScreen(60, 24, true, false).lines(List.of("top"), List.of(slow(1)),
                Map.of(Path.of("/mnt/1"), bars));
        assertThat(shown.get(2)).endsWith("  ▁▅█");
        for (int i = 0; i < 1_000; i++) {
            bars.add(i);
        }
        assertThat(bars.text(200, true)).hasSize(60);
    }

    @Test
    void arrowsSort() {
        var mounts = List.of(slow(2), slow(1));
        var byName = TopOrder.USUAL;
        assertThat(byName.of(mounts)).extracting(Activity::mount).containsExactly(Path.of("/mnt/1"), Path.of("/mnt/2"));
        assertThat(byName.after(Key.DOWN).of(mounts)).extracting(Activity::mount)
                .containsExactly(Path.of("/mnt/2"), Path.of("/mnt/1"));
        var byRead = byName.after(Key.RIGHT);
        assertThat(byRead).hasToString("read, largest first");
        assertThat(byRead.of(mounts)).as("equal ones by name").first().extracting(Activity::mount)
                .isEqualTo(Path.of("/mnt/1"));
        assertThat(byRead.after(Key.UP)).hasToString("read");
        assertThat(byName.after(Key.LEFT)).hasToString("at risk, largest first");
        assertThat(byRead.after(Key.LEFT)).isEqualTo(byName).isEqualTo(byName.after(Key.OTHER));
    }
}

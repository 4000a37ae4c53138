package volsh.command.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A progress may learn its total on the way. */
final class ProgressTotalTest {
    private final List<String> shown = new ArrayList<>();

    private final LiveProgress.Display display = new LiveProgress.Display() {
        @Override
        public Duration interval() {
            return Duration.ofHours(1);
        }

        @Override
        public void show(Advance advance) {
            shown.add(advance.text(0));
        }

        @Override
        public void end(Advance advance) {}
    };

    @Test
    void percentAndTimeLeftComeWithTheTotal() {
        var clock = new Instant[] {Instant.EPOCH};
        InstantSource source = () -> clock[0];
        var progress = new LiveProgress("put", -1, true, source, display);
        clock[0] = clock[0].plusSeconds(10);
        progress.add(1 << 20);
        progress.look();
        progress.total(4 << 20);
        progress.look();
        assertThat(shown.getFirst()).startsWith("put  1MiB").doesNotContain("of", "%", "ETA");
        assertThat(shown.getLast()).contains("1MiB of 4MiB", "25%", "ETA 0:3");
    }
}

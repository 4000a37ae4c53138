package volsh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import volsh.unit.ByteSize;

/**
 * With a pace, latency counts from when an operation was due, so that one that hangs is seen by all that had to wait.
 */
final class PaceTest {
    private static final Duration HANG = Duration.ofMillis(250);
    private static final Duration USUAL = Duration.ofNanos(10_000);

    /** Time that passes only when somebody works or sleeps. */
    private static final class Passing implements CrewClock {
        private long now = 1_000_000;

        @Override
        public long now() {
            return now;
        }

        @Override
        public void await(long due, BooleanSupplier stop) {
            now = Math.max(now, due);
        }

        void work(Duration time) {
            now += time.toNanos();
        }
    }

    private final Passing time = new Passing();

    private static Terms terms(OptionalDouble pace, Optional<Duration> duration) {
        return new Terms(Path.of("/"), new ByteSize(1 << 20), new ByteSize(1), 1, duration, false, 1, () -> false,
                _ -> { }).paced(pace);
    }

    /** A hundred operations, of which the first hangs. */
    private Measurement hanging(OptionalDouble pace) throws IOException {
        return new Crew(1, terms(pace, Optional.empty()), time).run("hang", 0, _ -> new Task.Part() {
            private int done;

            @Override
            public long once() {
                time.work(done == 0 ? HANG : USUAL);
                return done++ == 100 ? END : 0;
            }
        });
    }

    /**
     * At a thousand a second all hundred were due before the first one ended; as fast as possible, only that one was
     * slow.
     */
    @Test
    void anOperationThatHangsMakesThoseBehindItLate() throws IOException {
        var paced = hanging(OptionalDouble.of(1000));
        assertThat(paced.operations()).isEqualTo(100);
        // the fiftieth was due after 49 ms
        assertThat(paced.latency().p50()).isBetween(Duration.ofMillis(200), Duration.ofMillis(202));
        var closed = hanging(OptionalDouble.empty());
        assertThat(closed.latency().max()).isBetween(HANG.minusMillis(1), HANG.plusMillis(1));
        assertThat(closed.latency().p50()).isBetween(USUAL.minusNanos(100), USUAL.plusNanos(100));
    }

    @Test
    void noMoreThanThePaceAreDone() throws IOException {
        var row = new Crew(1, terms(OptionalDouble.of(100), Optional.of(Duration.ofMillis(300))),
                time).run("count", 0, _ -> () -> 0);
        assertThat(row.operations()).isEqualTo(30);
        assertThatThrownBy(() -> terms(OptionalDouble.of(0), Optional.empty()))
                .hasMessageContaining("operations per second");
    }

    /**
     * The clock of the system: no operation begins before it is due, and whoever wants to stop is heard while it waits.
     */
    @Test
    void turnsAreAwaited() {
        long due = CrewClock.SYSTEM.now() + 2_000_000;
        CrewClock.SYSTEM.await(due, () -> false);
        assertThat(CrewClock.SYSTEM.now() - due).isNotNegative();
        CrewClock.SYSTEM.await(CrewClock.SYSTEM.now() + Duration.ofHours(1).toNanos(), () -> true);
    }

    @Test
    void chartsAreBarsOfCharacters() {
        var time = Duration.ofMillis(1);
        var latency = new OperationLatencies(time, time, time, time);
        var rows = List.of(new Measurement("read", 1, new ByteSize(1024), 1024,
                new ByteSize(1 << 20), Duration.ofSeconds(1), latency), new Measurement("read", 16,
                new ByteSize(1024), 4096, new ByteSize(4 << 20), Duration.ofSeconds(1), latency),
                new Measurement("stat", 1, new ByteSize(0), 500, new ByteSize(0), Duration.ofSeconds(1), latency));
        assertThat(Chart.of(rows, 34, false)).containsExactly(
                "read      1MiB/s  ####",
                "read x16  4MiB/s  ###############",
                "stat       500/s  ###############");
        assertThat(Chart.of(rows, 34, true)).element(0).isEqualTo("read      1MiB/s  ███▊");
    }
}

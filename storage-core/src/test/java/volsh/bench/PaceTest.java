package volsh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import volsh.unit.ByteSize;

/** With a pace, latency counts from when an operation was due, so that one that hangs is seen by all that had to wait. */
final class PaceTest {
    private static final Duration HANG = Duration.ofMillis(250);

    private static Terms terms(OptionalDouble pace) {
        return new Terms(Path.of("/"), new ByteSize(1 << 20), new ByteSize(1), 1, Optional.empty(), false, 1, () -> false, _ -> { }).paced(pace);
    }

    /** A hundred operations, of which the first hangs. */
    private static Measurement hanging(OptionalDouble pace) throws IOException {
        return new Crew(1, terms(pace)).run("hang", 0, _ -> new Task.Part() {
            private int done;

            @Override
            public long once() throws IOException {
                if (done == 0) {
                    try {
                        Thread.sleep(HANG);
                    } catch (InterruptedException stopped) {
                        throw new IOException(stopped);
                    }
                }
                return done++ == 100 ? END : 0;
            }
        });
    }

    /** At a thousand a second all hundred were due before the first one ended; as fast as possible, only that one was slow. */
    @Test
    void anOperationThatHangsMakesThoseBehindItLate() throws IOException {
        var paced = hanging(OptionalDouble.of(1000));
        assertThat(paced.operations()).isEqualTo(100);
        assertThat(paced.latency().p50()).isGreaterThan(HANG.dividedBy(2));
        var closed = hanging(OptionalDouble.empty());
        assertThat(closed.latency().max()).isGreaterThanOrEqualTo(HANG.minusMillis(1));
        assertThat(closed.latency().p50()).isLessThan(HANG.dividedBy(2));
    }

    @Test
    void noMoreThanThePaceAreDone() throws IOException {
        var crew = new Crew(2, new Terms(Path.of("/"), new ByteSize(2), new ByteSize(1), 2, Optional.of(Duration.ofMillis(300)), false, 1, () -> false, _ -> { })
                .paced(OptionalDouble.of(100)));
        var row = crew.run("count", 0, _ -> () -> 0);
        assertThat(row.operations()).isBetween(2L, 30L);
        assertThatThrownBy(() -> terms(OptionalDouble.of(0))).hasMessageContaining("operations a second");
    }

    @Test
    void chartsAreBarsOfCharacters() {
        var time = Duration.ofMillis(1);
        var latency = new Latencies(time, time, time, time);
        var rows = List.of(new Measurement("read", 1, new ByteSize(1024), 1024, new ByteSize(1 << 20), Duration.ofSeconds(1), latency),
                new Measurement("read", 16, new ByteSize(1024), 4096, new ByteSize(4 << 20), Duration.ofSeconds(1), latency),
                new Measurement("stat", 1, new ByteSize(0), 500, new ByteSize(0), Duration.ofSeconds(1), latency));
        assertThat(Chart.of(rows, 34, false)).containsExactly(
                "read      1MiB/s  ####",
                "read x16  4MiB/s  ###############",
                "stat       500/s  ###############");
        assertThat(Chart.of(rows, 34, true)).element(0).isEqualTo("read      1MiB/s  ███▊");
    }
}

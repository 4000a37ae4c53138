package volsh.unit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LatencyHistogramTest {
    @Test
    void nothingWasCounted() {
        assertThat(new LatencyHistogram().summary()).isEqualTo(new LatencyHistogram.Summary(0, 0, 0, 0, 0));
    }

    /** Whatever a call took, its time is told up to a fifth too long and never too short. */
    @Test
    void timesAreExactToAFifth() {
        for (long nanos = 5; nanos < 1L << 39; nanos += nanos / 3) {
            var one = new LatencyHistogram();
            one.add(nanos);
            var told = one.summary();
            assertThat(told.p50()).isBetween(nanos, nanos + nanos / 4).isEqualTo(told.max());
            assertThat(told.total()).isEqualTo(nanos);
        }
    }

    @Test
    void percentilesAreOfAllCalls() {
        var many = new LatencyHistogram();
        for (int i = 1; i <= 1000; i++) {
            many.add(i <= 980 ? 1_000 : 1_000_000);
        }
        var told = many.summary();
        assertThat(told.count()).isEqualTo(1000);
        assertThat(told.p50()).isBetween(1_000L, 1_250L);
        assertThat(told.p99()).isBetween(1_000_000L, 1_250_000L).isEqualTo(told.max());
    }
}

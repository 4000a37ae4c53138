package volsh.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Passes are epochs, and a forecast for another size is what a cache of that size then has. */
final class EpochLogTest {
    private static final int FRAME = 4096;
    private static final int ROOM = 4096;   // a sample of one in eight
    private static final int PASSES = 9;
    private static final int SEED = 11;
    private static final double POINTS = 0.05;

    private static MemoryCache cache(double factor) {
        long budget = (long) (ROOM * factor) * FRAME;
        return new MemoryCache(budget, new EpochPolicy(budget, FRAME), new SplittableRandom(SEED));
    }

    private static double pass(MemoryCache cache, List<FrameKey> keys) {
        return (double) keys.stream().filter(key -> EvictionTableTest.read(cache, key)).count() / keys.size();
    }

    @Test
    void passesAreEpochs() {
        for (var workload : Workload.values()) {
            try (var cache = cache(1)) {
                var ratios = new ArrayList<Double>();
                workload.passes(ROOM, PASSES, SEED).forEach(keys -> ratios.add(pass(cache, keys)));
                var passes = cache.epochs().getFirst().passes();
                System.out.printf("%-28s %s%n", workload,
                        passes.stream().map(pass -> "%.0f%%".formatted(100 * pass.hitRatio())).toList());
                assertThat(passes).as(workload.toString()).hasSize(PASSES);
                assertThat(passes.getFirst().hitRatio()).isLessThan(0.1);
                for (int i = 2; i < PASSES - 1; i++) {
                    assertThat(passes.get(i).hitRatio()).isBetween(ratios.get(i) - POINTS, ratios.get(i) + POINTS);
                    assertThat((double) passes.get(i).bytes()).isBetween(0.95 * workload.passes(ROOM, 1, 1).getFirst()
                            .size() * FRAME, 1.05 * workload.passes(ROOM, 1, 1).getFirst().size() * FRAME);
                }
            }
        }
    }

    @Test
    void aForecastComesTrue() {
        System.out.println("| data set | size | forecast | measured |\n|---|---|---|---|");
        int compared = 0;
        double naive = 0;
        for (var workload : Workload.values()) {
            var passes = workload.passes(ROOM, PASSES, SEED);
            List<Epochs.Forecast> forecasts;
            double now;
            try (var cache = cache(1)) {
                passes.subList(0, PASSES - 1).forEach(keys -> pass(cache, keys));
                now = pass(cache, passes.getLast());
                forecasts = cache.epochs().getFirst().forecasts();
            }
            for (var forecast : forecasts) {
                double measured = measured(forecast.factor(), passes);
                System.out.printf("| %s | %sx | %.1f %% | %.1f %% |%n", workload, forecast.factor(),
                        100 * forecast.hitRatio(), 100 * measured);
                assertThat(forecast.hitRatio()).isBetween(measured - POINTS, measured + POINTS);
                naive = Math.max(naive, Math.abs(now - measured));
                compared++;
            }
        }
        assertThat(compared).isEqualTo(6 * Workload.values().length);
        assertThat(naive).as("negative control: who forecasts the same for all sizes is far off")
                .isGreaterThan(5 * POINTS);
    }

    private static double measured(double factor, List<List<FrameKey>> passes) {
        try (var cache = cache(factor)) {
            passes.subList(0, PASSES - 1).forEach(keys -> pass(cache, keys));
            return pass(cache, passes.getLast());
        }
    }

    /** Not a loop: no passes to speak of, but the forecast still holds. */
    @Test
    void favouritesAreForecastToo() {
        var random = new Random(SEED);
        var reads = new ArrayList<FrameKey>();
        for (int i = 0; i < 40 * ROOM; i++) {
            int rank = (int) Math.pow(8.0 * ROOM, random.nextDouble());
            reads.add(new FrameKey(rank / 32, rank % 32));
        }
        var half = reads.subList(0, reads.size() / 2);
        var rest = reads.subList(reads.size() / 2, reads.size());
        try (var cache = cache(1); var doubled = cache(2)) {
            pass(cache, half);
            double ratio = pass(cache, rest);
            pass(doubled, half);
            double measured = pass(doubled, rest);
            var forecast = cache.epochs().getFirst().forecasts().getLast();
            System.out.printf("Zipf: %.1f %%, twice the size forecast %.1f %% by %d reads, measured %.1f %%%n",
                    100 * ratio, 100 * forecast.hitRatio(), forecast.sampled(), 100 * measured);
            assertThat(cache.epochs().getFirst().passes()).hasSizeLessThanOrEqualTo(33);
        }
    }

    @Test
    void arrivesAsItWasSent() {
        var sent = List.of(
                new Epochs("memory", 5, List.of(new Epochs.Pass(1, 2, 3, 4, true), new Epochs.Pass(2, 0, 0, 0, false)),
                        List.of(new Epochs.Forecast(0.5, 2, 0.25, 7))),
                new Epochs("/a b/c", 6, List.of(new Epochs.Pass(1, 2, 3, 4, false)), List.of()));
        assertThat(Epochs.parse(Epochs.lines(sent))).isEqualTo(sent);
        assertThat(Epochs.parse(List.of())).isEmpty();
    }
}

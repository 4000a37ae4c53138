package volsh.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;

/** Figures computed by hand, several of which well-known texts have wrong. */
final class PlanTest {
    private static final Offset<Double> CLOSE = within(0.005);

    private static JobLoad load(long gpus, long batch, long sample, Duration step) {
        return new JobLoad(gpus, batch, new ByteSize(sample), step);
    }

    @Test
    void bandwidthOfALanguageModel() {
        var plan = BandwidthNeed.of(load(512, 4, 8192, Duration.ofSeconds(2)), Optional.empty(), Optional.empty());
        assertThat(plan.rate().bytesPerSecond()).as("8.39 MB/s, not 838").isEqualTo(8_388_608);
        assertThat(plan.how()).isEqualTo("512 GPUs × 4 samples × 8,192 B / 2 s = 8.39 MB/s");
        var tokens = BandwidthNeed.of(Workload.LLM7B.load(), Optional.empty(), Optional.empty());
        assertThat(tokens.samplesPerSecond()).as("667 k tokens/s, not 667 M").isCloseTo(666_666.67, CLOSE);
        assertThat(tokens.how()).endsWith("= 1.33 MB/s");
        assertThat(BandwidthNeed.of(load(1, 2_000_000, 2, Duration.ofSeconds(1)), Optional.empty(), Optional.empty())
                .how()).as("not 2 GB/s").endsWith("= 4 MB/s");
    }

    @Test
    void anEpochTakesAsLongAsItsSamples() {
        var plan = BandwidthNeed.of(load(8, 256, 130_000, Duration.ofMillis(200)), Optional.of(1_281_167L),
                Optional.of(Rate.of("399.36MB/s")));
        assertThat(plan.busy()).contains(new Percent(30));
        assertThat(plan.dataset()).contains(new ByteSize(166_551_710_000L));
        assertThat(plan.epoch().orElseThrow()).isEqualTo(Duration.ofMillis(125_114));
    }

    @Test
    void requestsOfImages() {
        var loose = RequestRate.of(Workload.RESNET50.load(), Optional.empty(), ByteSize.of("1MiB"));
        assertThat(loose.samplesPerSecond()).isCloseTo(10_240, CLOSE);
        assertThat(loose.reads()).isCloseTo(10_240, CLOSE);
        assertThat(loose.rate().bytesPerSecond()).as("1.33 GB/s").isEqualTo(1_331_200_000);
        assertThat(loose.metadata()).isCloseTo(40_960, CLOSE);
        var packed = RequestRate.of(Workload.RESNET50.load(), Optional.of(ByteSize.of("256MiB")), ByteSize.of("1MiB"));
        assertThat(packed.reads()).isCloseTo(1269.53, CLOSE);
        assertThat(packed.metadata()).isCloseTo(19.84, CLOSE);
    }

    @Test
    void batchesMadeAhead() {
        var plan = PrefetchMemory.of(8, 4, 256, List.of(3L, 224L, 224L), Element.F32);
        assertThat(plan.worker().bytes()).as("0.617 GB, not 5").isEqualTo(616_562_688);
        assertThat(plan.total().bytes()).as("4.93 GB, not 40").isEqualTo(4_932_501_504L);
        assertThat(plan.how()).contains("617 MB per worker", "4.93 GB");
    }

    @Test
    void manyJobsOnOneServerOfNames() {
        assertThat(MetadataLoad.of(100, 16, 100, 1).operations()).isCloseTo(160_000, CLOSE);
    }

    @Test
    void whatACheckpointCosts() {
        var plan = CheckpointCost.of(512, Duration.ofSeconds(30), Duration.ofHours(1), 3);
        assertThat(plan.gpuHours()).isCloseTo(4.27, CLOSE);
        assertThat(plan.usd()).isCloseTo(12.80, CLOSE);
        var often = CheckpointCost.of(512, Duration.ofSeconds(60), Duration.ofMinutes(15), 3);
        assertThat(often.usdPerHour()).isCloseTo(102.40, CLOSE);
        assertThat(often.usdPerWeek()).isCloseTo(17_203.20, CLOSE);
        assertThat(CheckpointCost.of(1024, Duration.ofSeconds(15), Duration.ofHours(1), 3).overhead())
                .isCloseTo(0.0042, within(0.0001));
    }

    @Test
    void howOftenToTakeOne() {
        var plan = CheckpointInterval.of(Duration.ofSeconds(98), Duration.ofHours(6));
        assertThat(plan.young().toMillis() / 1000.0).isCloseTo(2057.57, within(0.01));
        assertThat(plan.daly().toMillis() / 1000.0).isCloseTo(1992.72, within(0.5));
        assertThat(CheckpointInterval.of(Duration.ofHours(3), Duration.ofHours(1)).daly()).as("never beyond a failure")
                .isEqualTo(Duration.ofHours(1));
    }

    /** No interval near it wastes less: the formula is where the waste is smallest. */
    @Test
    void theIntervalIsWhereLeastIsWasted() {
        double cost = 60;
        double failure = 6 * 3600;
        var plan = CheckpointInterval.of(Duration.ofSeconds(60), Duration.ofHours(6));
        double best = plan.daly().toMillis() / 1000.0;
        for (double factor : List.of(0.5, 0.7, 1.5, 2.0)) {
            assertThat(CheckpointInterval.waste(cost, failure, best * factor)).isGreaterThan(plan.waste());
        }
    }

    @Test
    void theStateOfAModel() {
        var plan = ModelState.of(70e9, Element.BF16, ModelState.Optimizer.ADAM);
        assertThat(plan.total().bytes()).isEqualTo(980_000_000_000L);
        assertThat(plan.how()).isEqualTo("70 G parameters × (2 B + 12 B for adam) = 980 GB");
    }

    /** The figures that the cache's own simulation shows: 80 % and 80 %, LRU 48 % and 0 %. */
    @Test
    void whatACacheWillHit() {
        var plan = CacheFit.of(new ByteSize(125), new ByteSize(100));
        assertThat(plan).extracting(CacheFit::policy).containsExactly("volsh", "lru", "two-random");
        assertThat(plan.get(0).shuffled()).isCloseTo(0.8, CLOSE);
        assertThat(plan.get(1).shuffled()).isCloseTo(0.478, CLOSE);
        assertThat(plan.get(1).fixed()).isZero();
        assertThat(plan.get(2).shuffled()).isBetween(0.4, 0.8);
        assertThat(plan.get(2).fixed()).isBetween(0.0, 0.8);
        assertThat(CacheFit.of(new ByteSize(100), new ByteSize(100)))
                .allMatch(fit -> fit.shuffled() == 1 && fit.fixed() == 1);
        assertThat(CacheFit.of(new ByteSize(100), new ByteSize(0)))
                .allMatch(fit -> fit.shuffled() == 0 && fit.fixed() == 0);
    }

    @Test
    void howToBringADatasetToAJob() {
        var terms = new AccessPlan.Terms(ByteSize.of("4TB"), ByteSize.of("2TB"), 3, Rate.of("1GB/s"), Rate.of("7GB/s"),
                Rate.of("5GB/s"));
        var plan = AccessPlan.of(terms);
        assertThat(plan.getFirst().way()).isEqualTo("mount");
        assertThat(plan.getFirst().total()).isEqualTo(Duration.ofSeconds(8_000));
        assertThat(plan.getFirst().moved()).isEqualTo(ByteSize.of("8TB"));
        assertThat(plan).filteredOn(way -> way.way().equals("pre-download"))
                .allMatch(way -> !way.possible() && !way.best());
        assertThat(plan).filteredOn(AccessPlan::best).hasSize(1);
        var once = new AccessPlan.Terms(ByteSize.of("4TB"), ByteSize.of("0"), 1, Rate.of("1GB/s"), Rate.of("7GB/s"),
                Rate.of("5GB/s"));
        assertThat(AccessPlan.of(once).getFirst().way()).isEqualTo("stream");
    }

    @Test
    void whatSurvivalCosts() {
        assertThat(Redundancy.of("10+4")).isEqualTo(new Redundancy(10, 4));
        assertThat(Redundancy.of("10+4").factor()).isCloseTo(1.40, CLOSE);
        assertThat(Redundancy.of("3x")).isEqualTo(new Redundancy(1, 2));
        assertThat(Redundancy.of("3x").stored(ByteSize.of("10TB"))).isEqualTo(ByteSize.of("30TB"));
        for (String wrong : List.of("", "10", "0+4", "x", "0x", "1+", "99999999999+1")) {
            assertThatThrownBy(() -> Redundancy.of(wrong)).as(wrong).hasMessageContaining("try 10+4");
        }
    }

    @Test
    void kindsOfStorage() {
        var plan = Medium.of(Rate.of("1.33GB/s"), 10_240, ByteSize.of("150GB"), 1);
        assertThat(plan).filteredOn(kind -> kind.kind().equals("local-nvme")).allMatch(Medium::enough);
        assertThat(plan).filteredOn(kind -> kind.kind().equals("nfs"))
                .allMatch(kind -> !kind.enough() && kind.why().startsWith("too slow"));
        assertThat(plan).filteredOn(kind -> kind.kind().equals("object-store"))
                .allMatch(kind -> kind.why().startsWith("too few requests"));
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> load(0, 1, 1, Duration.ofSeconds(1)))
                .hasMessage("the number of GPUs must be greater than 0");
        assertThatThrownBy(() -> load(1, 1, 1, Duration.ZERO)).hasMessage("a step must be greater than 0");
        assertThatThrownBy(() -> PrefetchMemory.of(8, 4, Long.MAX_VALUE, List.of(3L), Element.F32))
                .hasMessageContaining("too large: ");
    }
}

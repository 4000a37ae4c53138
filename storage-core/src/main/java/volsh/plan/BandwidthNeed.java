package volsh.plan;

import java.time.Duration;
import java.util.Optional;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;

/**
 * What storage must deliver, steadily, so that no GPU waits.
 *
 * @param epoch how long one pass over all samples takes at that rate, if their number is known
 * @param busy  the fraction of time that GPUs compute, if it is known what storage delivers
 */
public record BandwidthNeed(double samplesPerSecond, Rate rate, Rate rateOfAGpu, Optional<ByteSize> dataset,
        Optional<Duration> epoch, Optional<Percent> busy, String how) {

    /** @param delivered what storage delivers, if known */
    public static BandwidthNeed of(JobLoad load, Optional<Long> samples, Optional<Rate> delivered) {
        samples.ifPresent(number -> Figures.positive(number, "the number of samples"));
        double rate = load.bytesPerSecond();
        return new BandwidthNeed(load.samplesPerSecond(), Figures.atLeastOne(rate), Figures.atLeastOne(rate
                / load.gpus()), samples.map(number -> new ByteSize(Figures.product(number, load.sample().bytes()))),
                samples.map(number -> Duration.ofMillis(Math.round(1000 * number / load.samplesPerSecond()))),
                delivered.map(given -> new Percent(Math.min(100, Math.round(1000 * given.bytesPerSecond() / rate)
                / 10.0))), load.formula() + " = " + Figures.rate(rate));
    }
}

package volsh.plan;

import java.time.Duration;
import volsh.unit.ByteSize;

/**
 * What a job reads: in each step, every GPU takes a batch of samples.
 *
 * @param batch  samples for one GPU in one step; a token of a text counts as a sample
 * @param sample stored bytes of one
 */
public record JobLoad(long gpus, long batch, ByteSize sample, Duration step) {
    /** Durations are in nanoseconds, so fractions of a second are kept. */
    private static final double NANOS = 1e9;

    public JobLoad {
        Figures.positive(gpus, "the number of GPUs");
        Figures.positive(batch, "a batch");
        Figures.positive(sample.bytes(), "a sample");
        Figures.positive(step.toNanos(), "a step");
    }

    public double samplesPerSecond() {
        return (double) gpus * batch / seconds();
    }

    public double bytesPerSecond() {
        return samplesPerSecond() * sample.bytes();
    }

    double seconds() {
        return step.toNanos() / NANOS;
    }

    /** {@code 512 GPUs × 4 samples × 8192 B / 2 s}. */
    String formula() {
        return "%s GPUs × %s samples × %s B / %s s".formatted(Figures.count(gpus), Figures.count(batch),
                Figures.count(sample.bytes()), Figures.plain(seconds()));
    }
}

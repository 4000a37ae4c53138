package volsh.bench.loader;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import volsh.disk.LocalTrees;

/**
 * A dataset to generate.
 *
 * @param sample    mean bytes of a sample
 * @param deviation its standard deviation: a normal distribution, but never less than a tenth of the mean
 * @param perFile   samples per shard
 */
public record Dataset(long samples, long sample, long deviation, int perFile) {
    private static final int SAMPLES_MAX = 10_000_000;
    private static final int SHARDS = 16;

    public Dataset {
        if (samples < 1 || samples > SAMPLES_MAX) {
            throw new IllegalArgumentException("the number of samples must be 1 to %,d, not %,d"
                    .formatted(SAMPLES_MAX, samples));
        }
        if (sample < 1 || perFile < 1) {
            throw new IllegalArgumentException("a sample needs at least one byte, and a shard at least one sample");
        }
    }

    /** Of one size, in sixteen shards. */
    public static Dataset of(long samples, long sample) {
        return new Dataset(samples, sample, 0, (int) Math.max(1, Math.ceilDiv(samples, SHARDS)));
    }

    public Dataset perFile(int count) {
        return new Dataset(samples, sample, deviation, count);
    }

    /** Approximate total bytes. */
    public long bytes() {
        return Math.multiplyExact(samples, sample);
    }

    /** Total bytes generated with this seed; files, archives and records need a little more. */
    public long bytes(long seed) {
        return sizes(seed).stream().mapToLong(Long::longValue).sum();
    }

    private List<Long> sizes(long seed) {
        var random = new Random(seed);
        var sizes = new ArrayList<Long>();
        for (long i = 0; i < samples; i++) {
            sizes.add(deviation == 0 ? sample : Math.max(sample / 10 + 1,
                    Math.round(random.nextGaussian((double) sample, (double) deviation))));
        }
        return sizes;
    }

    /** Writes it into a new directory; removes that if it fails. */
    public Path make(Format format, Path directory, long seed, BooleanSupplier stop, LongConsumer progress)
            throws IOException {
        Files.createDirectory(directory);
        try {
            format.write(directory, sizes(seed), perFile, new Noise(seed, stop, progress));
            return directory;
        } catch (IOException | RuntimeException failed) {
            LocalTrees.remove(directory);
            throw failed;
        }
    }
}

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
 * Samples that are to be made.
 *
 * @param sample    bytes of one on average
 * @param deviation how far samples are from that: a normal distribution, but never less than a tenth of the average
 * @param perFile   samples of a shard
 */
public record Dataset(long samples, long sample, long deviation, int perFile) {
    private static final int SAMPLES_MAX = 10_000_000;
    private static final int SHARDS = 16;

    public Dataset {
        if (samples < 1 || samples > SAMPLES_MAX) {
            throw new IllegalArgumentException("1 to %,d samples: %,d".formatted(SAMPLES_MAX, samples));
        }
        if (sample < 1 || perFile < 1) {
            throw new IllegalArgumentException("a sample has a byte at least, and a shard a sample");
        }
    }

    /** Of one size, in sixteen shards. */
    public static Dataset of(long samples, long sample) {
        return new Dataset(samples, sample, 0, (int) Math.max(1, Math.ceilDiv(samples, SHARDS)));
    }

    public Dataset perFile(int count) {
        return new Dataset(samples, sample, deviation, count);
    }

    /** Bytes of all of them, about. */
    public long bytes() {
        return Math.multiplyExact(samples, sample);
    }

    /** Bytes of all of them, as they will be made with this seed; files, archives and records need a little more. */
    public long bytes(long seed) {
        return sizes(seed).stream().mapToLong(Long::longValue).sum();
    }

    private List<Long> sizes(long seed) {
        var random = new Random(seed);
        var sizes = new ArrayList<Long>();
        for (long i = 0; i < samples; i++) {
            sizes.add(deviation == 0 ? sample : Math.max(sample / 10 + 1, Math.round(random.nextGaussian((double) sample, (double) deviation))));
        }
        return sizes;
    }

    /** Writes them into a directory that is made for them; nothing is left of it if that fails. */
    public Path make(Format format, Path directory, long seed, BooleanSupplier stop, LongConsumer progress) throws IOException {
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

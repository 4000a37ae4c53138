package volsh.plan;

import java.util.Optional;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

/**
 * The requests per second that a job makes to its storage, with a file per sample or with samples packed in shards.
 *
 * @param reads    reads of data
 * @param metadata metadata operations: lookup, open, close
 */
public record RequestRate(double samplesPerSecond, Rate rate, double reads, double metadata, ByteSize meanRead,
        String how) {
    /** lookup, open, stat and close. */
    private static final int OPERATIONS_OF_A_FILE = 4;

    /** With {@code shard}, samples are read from files of that size, {@code read} bytes at a time. */
    public static RequestRate of(JobLoad load, Optional<ByteSize> shard, ByteSize read) {
        Figures.positive(read.bytes(), "a read");
        shard.ifPresent(size -> Figures.positive(size.bytes(), "a shard"));
        return shard.map(size -> packed(load, size, read)).orElseGet(() -> loose(load, read));
    }

    private static RequestRate loose(JobLoad load, ByteSize read) {
        long readsOfAFile = Math.ceilDiv(load.sample().bytes(), read.bytes());
        double files = load.samplesPerSecond();
        return new RequestRate(files, Figures.atLeastOne(load.bytesPerSecond()), files * readsOfAFile,
                files * OPERATIONS_OF_A_FILE, new ByteSize(load.sample().bytes() / readsOfAFile),
                "%s; a file per sample: %d read%s and %d metadata operations each".formatted(rate(load), readsOfAFile,
                readsOfAFile == 1 ? "" : "s", OPERATIONS_OF_A_FILE));
    }

    private static RequestRate packed(JobLoad load, ByteSize shard, ByteSize read) {
        double rate = load.bytesPerSecond();
        ByteSize size = shard.compareTo(read) < 0 ? shard : read;
        return new RequestRate(load.samplesPerSecond(), Figures.atLeastOne(rate), rate / size.bytes(),
                rate / shard.bytes() * OPERATIONS_OF_A_FILE, size,
                "%s; shards of %s, read %s at a time: %s samples per shard".formatted(rate(load), shard, size,
                        Figures.plain((double) shard.bytes() / load.sample().bytes())));
    }

    private static String rate(JobLoad load) {
        return "%s samples/s × %s B = %s".formatted(Figures.count(Math.round(load.samplesPerSecond())),
                Figures.count(load.sample().bytes()), Figures.rate(load.bytesPerSecond()));
    }
}

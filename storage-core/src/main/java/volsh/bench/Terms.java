package volsh.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import volsh.unit.ByteSize;

/**
 * The parameters of a bench.
 *
 * @param directory where it may write, below a directory of its own; or a file to read, for read-only profiles
 * @param size      of the data, over all threads
 * @param io        bytes of one read or write
 * @param duration  when to stop, if not at the end of the data
 * @param direct    bypass the page cache
 * @param seed      of data and order
 * @param pace      operations of all threads per second; empty for full speed
 * @param stop      whether to stop
 * @param progress  receives the bytes of each operation
 */
public record Terms(Path directory, ByteSize size, ByteSize io, int threads, Optional<Duration> duration,
        boolean direct, long seed, OptionalDouble pace, BooleanSupplier stop, LongConsumer progress) {
    public static final int ALIGNMENT = 4096;
    private static final Duration WARM_UP = Duration.ofMillis(200);
    private static final int THREADS_MAX = 1024;
    private static final int PACE_MAX = 100_000_000;

    public Terms {
        if (threads < 1 || threads > THREADS_MAX) {
            throw new IllegalArgumentException("the number of threads must be 1 to %d, not %d"
                    .formatted(THREADS_MAX, threads));
        }
        if (io.bytes() < 1 || io.bytes() > Integer.MAX_VALUE / 2) {
            throw new IllegalArgumentException("an operation must have 1B to 1GiB, not " + io);
        }
        if (size.bytes() / threads < io.bytes()) {
            throw new IllegalArgumentException("%s for %d threads is too small: less than one operation of %s each"
                    .formatted(size, threads, io));
        }
        if (pace.isPresent() && !(pace.getAsDouble() > 0 && pace.getAsDouble() <= PACE_MAX)) {
            throw new IllegalArgumentException(("the pace must be greater than 0 and at most %,d operations per "
                    + "second, not %s").formatted(PACE_MAX, pace.getAsDouble()));
        }
        if (direct && io.bytes() % ALIGNMENT != 0) {
            throw new IllegalArgumentException("operations with direct I/O must be multiples of 4KiB, not " + io);
        }
    }

    /** At full speed. */
    public Terms(Path directory, ByteSize size, ByteSize io, int threads, Optional<Duration> duration, boolean direct,
            long seed, BooleanSupplier stop, LongConsumer progress) {
        this(directory, size, io, threads, duration, direct, seed, OptionalDouble.empty(), stop, progress);
    }

    Terms direct(boolean wanted) {
        return new Terms(directory, size, io, threads, duration, wanted, seed, pace, stop, progress);
    }

    /** For a short warm-up without progress, so that code is compiled when it is measured. */
    Terms warmingUp() {
        var moment = duration.filter(time -> time.compareTo(WARM_UP) < 0).orElse(WARM_UP);
        return new Terms(directory, size, io, threads, Optional.of(moment), direct, seed - 1, stop, _ -> { });
    }

    /** With other data, in other pieces. */
    Terms of(ByteSize other, ByteSize pieces) {
        return new Terms(directory, other, pieces, threads, duration, direct, seed, pace, stop, progress);
    }

    /** Limited to this many operations of all threads per second. */
    public Terms paced(OptionalDouble perSecond) {
        return new Terms(directory, size, io, threads, duration, direct, seed, perSecond, stop, progress);
    }

    /** Whole operations that each thread can do. */
    public long operationsOfAThread() {
        return size.bytes() / threads / io.bytes();
    }
}

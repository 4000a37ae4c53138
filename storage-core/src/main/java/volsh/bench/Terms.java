package volsh.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import volsh.unit.ByteSize;

/**
 * How a bench is to run.
 *
 * @param directory where it may write, below a directory of its own
 * @param size      of the data, over all threads
 * @param io        bytes of one read or write
 * @param duration  when to stop, if not at the end of the data
 * @param direct    past the page cache
 * @param seed      of data and order
 * @param stop      whether somebody wants to stop
 * @param progress  takes the bytes of each operation
 */
public record Terms(Path directory, ByteSize size, ByteSize io, int threads, Optional<Duration> duration, boolean direct, long seed,
        BooleanSupplier stop, LongConsumer progress) {
    public static final int ALIGNMENT = 4096;
    private static final int THREADS_MAX = 1024;

    public Terms {
        if (threads < 1 || threads > THREADS_MAX) {
            throw new IllegalArgumentException("1 to %d threads: %d".formatted(THREADS_MAX, threads));
        }
        if (io.bytes() < 1 || io.bytes() > Integer.MAX_VALUE / 2) {
            throw new IllegalArgumentException("an operation of 1B to 1GiB: " + io);
        }
        if (size.bytes() / threads < io.bytes()) {
            throw new IllegalArgumentException("%s for %d threads is less than one operation of %s each".formatted(size, threads, io));
        }
        if (direct && io.bytes() % ALIGNMENT != 0) {
            throw new IllegalArgumentException("past the page cache operations are multiples of 4KiB: " + io);
        }
    }

    Terms with(int other) {
        return new Terms(directory, size, io, other, duration, direct, seed, stop, progress);
    }

    Terms direct(boolean wanted) {
        return new Terms(directory, size, io, threads, duration, wanted, seed, stop, progress);
    }

    /** Whole operations that each thread can do. */
    long operationsOfAThread() {
        return size.bytes() / threads / io.bytes();
    }
}

package volsh.cache.disk;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Detects a disk that does not answer at all. A read that hangs in the kernel cannot be cancelled; but while one has
 * been under way for {@value #PATIENCE_SECONDS} seconds, other reads bypass the disk and go to the store. At most
 * {@value #INSIDE_MAX} reads run at a time: a mount has more threads, so some are left to serve other requests. A read
 * that finds that many waits for one of them, as long as they are not late. Takes a look at a few numbers, and no
 * thread. Thread-safe.
 */
final class HungDisk {
    static final int PATIENCE_SECONDS = 2;
    private static final Logger LOG = System.getLogger("volsh.cache");
    static final int INSIDE_MAX = 8;
    private static final long LOOK_MILLIS = 50;
    private static final long FREE = 0;

    private final Path directory;
    private final LongSupplier nanos;
    private final AtomicLongArray begun = new AtomicLongArray(INSIDE_MAX);
    private final Semaphore inside = new Semaphore(INSIDE_MAX);
    private final AtomicBoolean told = new AtomicBoolean();

    HungDisk(Path directory, LongSupplier nanos) {
        this.directory = directory;
        this.nanos = nanos;
    }

    /** A slot for a read that begins now, to be passed to {@link #ended}; negative if it should not begin. */
    int begin() {
        if (isStuck()) {
            tell();
            return -1;
        }
        if (!inside.tryAcquire() && !awaitTurn()) {
            return -1;
        }
        long now = nanos.getAsLong() | 1;   // never FREE
        for (int i = 0; ; i = (i + 1) % INSIDE_MAX) {
            if (begun.compareAndSet(i, FREE, now)) {
                return i;
            }
        }
    }

    /** Waits for a slot; false if the disk hangs or the thread is interrupted. */
    private boolean awaitTurn() {
        try {
            while (!inside.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (isStuck()) {
                    tell();
                    return false;
                }
            }
            return true;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static boolean isLate(long since, long now) {
        return now - since > Duration.ofSeconds(PATIENCE_SECONDS).toNanos();
    }

    private void tell() {
        if (told.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, "cache directory %s has not answered for %d seconds and is bypassed"
                    .formatted(directory, PATIENCE_SECONDS));
        }
    }

    void ended(int slot) {
        begun.set(slot, FREE);
        inside.release();
        if (told.get() && !isStuck()) {
            told.set(false);
        }
    }

    /** Whether a read has been under way for too long. */
    boolean isStuck() {
        long now = nanos.getAsLong() | 1;
        for (int i = 0; i < INSIDE_MAX; i++) {
            long since = begun.get(i);
            if (since != FREE && isLate(since, now)) {
                return true;
            }
        }
        return false;
    }
}

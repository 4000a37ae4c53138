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
 * Notices a disk that does not answer at all. Nobody can be called back out of a read that hangs in the kernel; but whoever comes while one
 * has been under way for {@value #PATIENCE_SECONDS} seconds goes by, to the store, until it returned. And no more than {@value #INSIDE_MAX} are
 * inside at a time: a mount has more threads than that, so some are left to serve everybody else. Who finds so many there waits for one of them,
 * as long as they are not late. Costs a look at a few numbers, and no other thread. Thread-safe.
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

    /** A slot for a read that begins now, to be given to {@link #ended}; negative if it should not begin. */
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

    /** False if the disk is stuck, or whoever waits is to stop. */
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
            LOG.log(Level.WARNING, "cache directory %s has not answered for %d seconds and is by-passed".formatted(directory, PATIENCE_SECONDS));
        }
    }

    void ended(int slot) {
        begun.set(slot, FREE);
        inside.release();
        if (told.get() && !isStuck()) {
            told.set(false);
        }
    }

    /** Is a read under way that should have returned long ago? */
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

package volsh.cache;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Notices a disk that does not answer at all. Nobody can be called back out of a read that hangs in the kernel; but whoever comes while one
 * has been under way for {@value #PATIENCE_SECONDS} seconds goes by, to the store, until it returned. Costs a look at a few numbers, and no
 * other thread. Thread-safe.
 */
final class Overdue {
    static final int PATIENCE_SECONDS = 2;
    private static final Logger LOG = System.getLogger("volsh.cache");
    private static final int SLOTS = 64;
    private static final long FREE = 0;

    private final Path directory;
    private final LongSupplier nanos;
    private final AtomicLongArray begun = new AtomicLongArray(SLOTS);
    private final AtomicBoolean told = new AtomicBoolean();

    Overdue(Path directory, LongSupplier nanos) {
        this.directory = directory;
        this.nanos = nanos;
    }

    /** A slot for a read that begins now, to be given to {@link #ended}; negative if it should not begin. */
    int begin() {
        long now = nanos.getAsLong() | 1;   // never FREE
        int free = -1;
        for (int i = 0; i < SLOTS; i++) {
            long since = begun.get(i);
            if (since == FREE) {
                free = i;
            } else if (isLate(since, now)) {
                tell();
                return -1;
            }
        }
        return free >= 0 && begun.compareAndSet(free, FREE, now) ? free : anySlot(now);
    }

    private int anySlot(long now) {
        for (int i = 0; i < SLOTS; i++) {
            if (begun.compareAndSet(i, FREE, now)) {
                return i;
            }
        }
        return -1;
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
        if (told.get() && !isStuck()) {
            told.set(false);
        }
    }

    /** Is a read under way that should have returned long ago? */
    boolean isStuck() {
        long now = nanos.getAsLong() | 1;
        for (int i = 0; i < SLOTS; i++) {
            long since = begun.get(i);
            if (since != FREE && isLate(since, now)) {
                return true;
            }
        }
        return false;
    }
}

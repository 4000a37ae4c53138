package volsh.cache.disk;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Whether a disk may be used. After a few failures in a row it is left alone for a while, then tried again. This is
 * logged once, and again only after the disk worked in between. Thread-safe.
 */
final class CacheDiskHealth {
    private static final Logger LOG = System.getLogger("volsh.cache");
    private static final long REST = Duration.ofSeconds(15).toNanos();

    private final Path directory;
    private final String what;
    private final int patience;
    private final LongSupplier nanos;
    private final LongAdder failures = new LongAdder();
    private volatile int inARow;
    private volatile long failedAt;
    private boolean told;

    CacheDiskHealth(Path directory, String what, int patience, LongSupplier nanos) {
        this.directory = directory;
        this.what = what;
        this.patience = patience;
        this.nanos = nanos;
    }

    boolean isUp() {
        return inARow < patience || nanos.getAsLong() - failedAt > REST;
    }

    void worked() {
        if (inARow > 0) {
            recovered();
        }
    }

    private synchronized void recovered() {
        inARow = 0;
        told = false;
    }

    synchronized void failed(IOException why) {
        failures.increment();
        failedAt = nanos.getAsLong();
        inARow = Math.min(patience, inARow + 1);
        if (inARow == patience && !told) {
            told = true;
            LOG.log(Level.WARNING,
                    "cache directory %s cannot be %s and is bypassed: %s".formatted(directory, what, why));
        }
    }

    long failures() {
        return failures.sum();
    }
}

package volsh.catalog;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import volsh.catalog.Refusal.Reason;

/** The right to change the catalog: one process, and one thread of it, at a time. */
final class CatalogLock {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private CatalogLock() {}

    /** Waits its turn. @throws Refusal BUSY after a minute, naming the process that has the lock */
    static ProcessLock take(Path file) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (System.nanoTime() < deadline) {
            var lock = ProcessLock.tryTake(file);
            if (lock.isPresent()) {
                return lock.get();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted while waiting for the catalog");
            }
        }
        throw new Refusal(Reason.BUSY,
                "another volsh, %s, has been changing the catalog for a minute: %s".formatted(holder(file), file));
    }

    private static String holder(Path file) throws IOException {
        String number = ProcessLock.holder(file);
        return number.isEmpty() ? "an unknown process" : "process " + number;
    }
}

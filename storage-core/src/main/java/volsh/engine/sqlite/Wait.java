package volsh.engine.sqlite;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.sqlite.BusyHandler;

/** The reaction of a connection to a lock of another process: a read waits; taking the write lock fails at once. */
final class Wait extends BusyHandler {
    private static final long PAUSE_MIN_NANOS = 20_000;
    private static final long PAUSE_MAX_NANOS = 500_000;

    private final long longestNanos;
    private boolean patient = true;
    private long since;

    Wait(Duration longest) {
        this.longestNanos = longest.toNanos();
    }

    void patient(boolean value) {
        patient = value;
    }

    @Override
    protected int callback(int times) {
        if (times == 0) {
            since = System.nanoTime();
        }
        if (!patient || System.nanoTime() - since > longestNanos) {
            return 0;
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(PAUSE_MIN_NANOS, PAUSE_MAX_NANOS));
        return 1;
    }
}

package volsh.engine.postgres;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * For how long the server has answered nobody, though somebody waits: told to people long before an operation gives up. Any answer ends it, also one
 * that refuses; a connection that is lost or cannot be made does not.
 */
final class ServerSilence {
    private static final long NONE = 0;

    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong since = new AtomicLong(NONE);   // of the first question after the last answer

    /** An operation begins, with its retries. */
    void begin() {
        if (waiting.getAndIncrement() == 0) {
            since.set(NONE);   // of one that gave up
        }
    }

    void end() {
        waiting.decrementAndGet();
    }

    void asked() {
        if (since.get() == NONE) {
            since.compareAndSet(NONE, System.nanoTime() | 1);
        }
    }

    void answered() {
        if (since.get() != NONE) {
            since.set(NONE);
        }
    }

    Duration lasts() {
        long first = since.get();
        return first == NONE || waiting.get() == 0 ? Duration.ZERO : Duration.ofNanos(Math.max(0, System.nanoTime() - first));
    }
}

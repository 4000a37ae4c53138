package volsh.engine.postgres;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long the server has not answered any pending request: reported to users long before an operation times out. Any
 * answer ends it, including an error; a lost or failed connection does not.
 */
final class ServerSilence {
    private static final long NONE = 0;

    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong since = new AtomicLong(NONE);   // start of the first request after the last answer

    /** An operation begins, including its retries. */
    void begin() {
        if (waiting.getAndIncrement() == 0) {
            since.set(NONE);   // left by one that gave up
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
        return first == NONE || waiting.get() == 0 ? Duration.ZERO
                : Duration.ofNanos(Math.max(0, System.nanoTime() - first));
    }
}

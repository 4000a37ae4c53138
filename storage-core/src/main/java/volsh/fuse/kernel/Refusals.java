package volsh.fuse.kernel;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Files whose close was refused because their written bytes exceed a quota. The bytes are dropped when the kernel
 * reports that the file is no longer open, a moment after the program went on: requests for attributes wait for that,
 * but only for a while, because another program may have the file open for long.
 */
final class Refusals {
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Map<Long, Refusal> open = new ConcurrentHashMap<>();   // by handle

    private record Refusal(long nanos, CountDownLatch closed) {}

    void add(long handle) {
        open.put(handle, new Refusal(System.nanoTime(), new CountDownLatch(1)));
    }

    /** The file is no longer open, and the refused bytes are gone. */
    void remove(long handle) {
        var one = open.remove(handle);
        if (one != null) {
            one.closed().countDown();
        }
    }

    /** Waits for files that are about to be closed. */
    void settle() {
        if (open.isEmpty()) {
            return;
        }
        for (var one : open.values()) {
            try {
                // or another program has it open
                var _ = one.closed().await(LONGEST_NANOS - (System.nanoTime() - one.nanos()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}

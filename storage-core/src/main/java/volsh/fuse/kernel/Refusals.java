package volsh.fuse.kernel;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Files that a program has closed and was told that a quota has no room for what it wrote. That is dropped when the kernel says that nobody has the file
 * open any more, a moment after the program went on: who asks for attributes meanwhile waits for it, a while at most, as another
 * program may have the file open for long.
 */
final class Refusals {
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Map<Long, Refusal> open = new ConcurrentHashMap<>();   // by handle

    private record Refusal(long nanos, CountDownLatch closed) {}

    void add(long handle) {
        open.put(handle, new Refusal(System.nanoTime(), new CountDownLatch(1)));
    }

    /** Nobody has it open any more, and what was refused is gone. */
    void remove(long handle) {
        var one = open.remove(handle);
        if (one != null) {
            one.closed().countDown();
        }
    }

    /** Waits for those that are about to be closed. */
    void settle() {
        if (open.isEmpty()) {
            return;
        }
        for (var one : open.values()) {
            try {
                var _ = one.closed().await(LONGEST_NANOS - (System.nanoTime() - one.nanos()), TimeUnit.NANOSECONDS);   // or somebody else has it open
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}

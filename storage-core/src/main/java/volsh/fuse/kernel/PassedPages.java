package volsh.fuse.kernel;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Has the kernel drop pages that sequential readers have passed. On a thread of its own, which exists while there are
 * some: the kernel may wait for requests about a file before it drops its pages. Pages stay where it falls behind.
 */
final class PassedPages {
    private static final int WAITING_MAX = 1000;
    private static final long IDLE_SECONDS = 5;

    private final Outbox outbox;
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(0, 1, IDLE_SECONDS, TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_MAX), Thread.ofPlatform().daemon().name("fuse-passed").factory(),
            new ThreadPoolExecutor.DiscardPolicy());

    PassedPages(Outbox outbox) {
        this.outbox = outbox;
    }

    /** Does not block. */
    void drop(long ino, long from, long to) {
        thread.execute(() -> outbox.forgetPages(ino, from, to));
    }
}

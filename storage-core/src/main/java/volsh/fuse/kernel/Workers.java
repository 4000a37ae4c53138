package volsh.fuse.kernel;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import volsh.fuse.MountOptions;
import volsh.fuse.MountPoint;
import volsh.fuse.Native;
import volsh.fuse.OperationStats;

/**
 * The threads of a mount. When all of them are busy another is started, up to {@value #MOST}, so that somebody reads the
 * next request, an interrupt perhaps, although the store keeps others waiting. They are as few as will do: the kernel hands
 * requests to them in turn, and one that has just worked is faster than one that has slept. What a busy time has left over,
 * beyond as many as the options say, goes when it has long been over.
 */
final class Workers {
    private static final int MOST = 256;
    private static final long LEFT_OVER_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final int descriptor;
    private final Operations operations;
    private final MountOptions options;
    private final OperationStats stats;
    private final Set<Worker> all = ConcurrentHashMap.newKeySet();
    private final AtomicInteger idle = new AtomicInteger();
    private final AtomicInteger count = new AtomicInteger();
    private final CountDownLatch disconnected = new CountDownLatch(1);
    private final CountDownLatch gone = new CountDownLatch(1);
    private volatile long allBusyAt = System.nanoTime();
    private volatile boolean stopping;

    Workers(int descriptor, Operations operations, MountOptions options, OperationStats stats) {
        this.descriptor = descriptor;
        this.operations = operations;
        this.options = options;
        this.stats = stats;
    }

    void start() {
        add();
    }

    private void add() {
        int number = count.getAndIncrement();
        idle.incrementAndGet();
        var worker = new Worker(descriptor, operations, options, this, stats);
        all.add(worker);
        Thread.ofPlatform().name("fuse-" + number).daemon().start(worker);
    }

    // ---- what the workers say

    /** One of them has a request now. */
    void busy() {
        if (idle.decrementAndGet() == 0) {
            allBusyAt = System.nanoTime();
            if (count.get() < MOST && !stopping) {
                add();
            }
        }
    }

    /** It is done with it. False if it may go: others wait, and all were busy long ago. */
    boolean idle() {
        if (idle.get() >= options.threads() && System.nanoTime() - allBusyAt > LEFT_OVER_NANOS) {
            return false;
        }
        idle.incrementAndGet();
        return true;
    }

    /** There will be no more requests. */
    void disconnected() {
        disconnected.countDown();
    }

    void ended(Worker worker) {
        all.remove(worker);
        if (count.decrementAndGet() == 0) {
            gone.countDown();
        }
    }

    boolean stopping() {
        return stopping;
    }

    boolean isDisconnected() {
        return disconnected.getCount() == 0;
    }

    // ---- what others ask

    Iterable<Worker> all() {
        return all;
    }

    /** Waits until there will be no more requests through this mount. */
    void await(MountPoint point) throws InterruptedException {
        point.await(disconnected);
    }

    /**
     * Ends those that wait for requests; the others end with what they are at. True if all have ended within {@code
     * longest}.
     */
    boolean stop(Duration longest) throws InterruptedException {
        stopping = true;
        long deadline = System.nanoTime() + longest.toNanos();
        try (var arena = Arena.ofConfined()) {
            var calls = new Native(arena);
            do {   // again: one may have been about to wait
                for (var worker : all) {
                    if (worker.receiving() != 0) {
                        calls.wake(worker.receiving());
                    }
                }
                if (gone.await(2, TimeUnit.MILLISECONDS)) {
                    return true;
                }
            } while (System.nanoTime() < deadline || waiting());
        }
        return false;
    }

    private boolean waiting() {
        for (var worker : all) {
            if (worker.receiving() != 0) {
                return true;
            }
        }
        return false;
    }
}

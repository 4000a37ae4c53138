package volsh.fuse.jnr;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import volsh.fuse.Errno;
import volsh.fuse.MountPoint;
import volsh.fuse.Native;

/**
 * The threads of a mount: each waits for a request and has libfuse answer it. When all are busy more are started, up to
 * {@value #MOST}.
 */
final class JnrWorkers {
    private static final Logger LOG = System.getLogger("volsh.fuse");
    private static final int MOST = 256;
    private static final int ENOENT = 2;
    private static final int EAGAIN = 11;

    private final JnrSession session;
    private final OpenNodes nodes;
    private final int wanted;
    private final Set<Integer> receiving = ConcurrentHashMap.newKeySet();
    private final AtomicInteger idle = new AtomicInteger();
    private final AtomicInteger count = new AtomicInteger();
    private final CountDownLatch disconnected = new CountDownLatch(1);
    private final CountDownLatch gone = new CountDownLatch(1);
    private volatile boolean stopping;

    JnrWorkers(JnrSession session, OpenNodes nodes, int wanted) {
        this.session = session;
        this.nodes = nodes;
        this.wanted = wanted;
    }

    void start() {
        for (int i = 0; i < wanted; i++) {
            add();
        }
    }

    private void add() {
        idle.incrementAndGet();
        Thread.ofPlatform().name("jnr-fuse-" + count.getAndIncrement()).daemon().start(this::run);
    }

    private void run() {
        try (var arena = Arena.ofConfined()) {
            var buffer = arena.allocate(session.requestSize(), 4096);
            var request = new JnrRequest(buffer, nodes);
            var pointer = arena.allocate(8, 8);
            int thread = new Native(arena).thread();
            boolean more = true;
            while (more) {
                receiving.add(thread);
                int length = stopping ? 0 : session.receive(pointer, buffer);
                receiving.remove(thread);
                if (length > 0) {
                    busy();
                    answer(request, buffer, length);
                    more = idle();
                } else if (length != -Errno.EINTR && length != -EAGAIN && length != -ENOENT) {
                    disconnected.countDown();
                    more = false;
                }
            }
        } finally {
            if (count.decrementAndGet() == 0) {
                gone.countDown();
            }
        }
    }

    /** The thread continues whatever happens: the next request may succeed. */
    private void answer(JnrRequest request, MemorySegment buffer, int length) {
        try {
            request.arrived();
            session.answer(buffer, length);
        } catch (Throwable failed) {
            LOG.log(Level.ERROR, "a FUSE request could not be answered", failed);
        }
    }

    private void busy() {
        if (idle.decrementAndGet() == 0 && count.get() < MOST && !stopping) {
            add();
        }
    }

    /** False if the thread may end: enough others wait. */
    private boolean idle() {
        if (idle.get() >= wanted) {
            return false;
        }
        idle.incrementAndGet();
        return true;
    }

    /** Waits until there are no more requests through this mount. */
    void await(MountPoint point) throws InterruptedException {
        point.await(disconnected);
    }

    /** Ends threads after their current request. True if all have ended within {@code longest}. */
    boolean stop(Duration longest) throws InterruptedException {
        stopping = true;
        long deadline = System.nanoTime() + longest.toNanos();
        try (var arena = Arena.ofConfined()) {
            var calls = new Native(arena);
            do {   // repeatedly: a thread may have been about to wait
                receiving.forEach(calls::wake);
                if (gone.await(2, TimeUnit.MILLISECONDS)) {
                    return true;
                }
            } while (System.nanoTime() < deadline || !receiving.isEmpty());
        }
        return false;
    }
}

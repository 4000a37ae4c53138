package volsh.fuse.kernel;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The threads of a mount that rest while one thread polls for all requests, so that the kernel cannot wake them for a
 * request that polling finds anyway. One of them watches: when the polling thread is held up, it goes to the device.
 */
final class Reserve {
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Semaphore wanted = new Semaphore(0);
    private final AtomicInteger resting = new AtomicInteger();
    private final AtomicBoolean watching = new AtomicBoolean();

    int size() {
        return resting.get();
    }

    boolean isWatched() {
        return watching.get();
    }

    /** Sends one of them to the device; false if there is none. */
    boolean call() {
        if (resting.get() == 0) {
            return false;
        }
        wanted.release();
        return true;
    }

    /** Sends all of them to the device. */
    void callAll() {
        wanted.release(Math.max(1, resting.get()));
    }

    /**
     * Rests until called, or until {@code heldUp} says that a thread has to go to the device. Returns at once when no
     * thread polls for requests, according to {@code lookedFor}.
     */
    void rest(BooleanSupplier lookedFor, BooleanSupplier heldUp) {
        resting.incrementAndGet();
        try {
            boolean called = false;
            while (!called && lookedFor.getAsBoolean()) {
                if (watching.compareAndSet(false, true)) {
                    called = watch(lookedFor, heldUp);
                } else {
                    wanted.acquireUninterruptibly();
                    called = watching.get();   // otherwise it has been called to watch
                }
            }
        } finally {
            resting.decrementAndGet();
        }
    }

    /** True if this thread has to go to the device; false if there is nothing left to watch. */
    private boolean watch(BooleanSupplier lookedFor, BooleanSupplier heldUp) {
        try {
            while (lookedFor.getAsBoolean()) {
                if (wanted.tryAcquire(WATCH_NANOS, TimeUnit.NANOSECONDS) || heldUp.getAsBoolean()) {
                    return true;
                }
            }
            return false;
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
            return true;
        } finally {
            watching.set(false);
        }
    }
}

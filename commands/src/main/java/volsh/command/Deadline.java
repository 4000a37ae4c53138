package volsh.command;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A deadline for the calling thread. When it passes, or on a request to stop from outside, its {@link #cancellation()}
 * requests a stop; a thread that still waits a second later is interrupted. Close it.
 */
public final class Deadline implements AutoCloseable {
    private static final long POLITE_MILLIS = 1_000;

    private final Cancellation cancellation = new Cancellation();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Cancellation.Registration outer;
    private final Thread concerned = Thread.currentThread();
    private volatile boolean expired;

    private Deadline(Cancellation surrounding) {
        this.outer = surrounding.onRequest(cancellation::request);
    }

    public static Deadline in(Duration time, Cancellation surrounding) {
        var deadline = new Deadline(surrounding);
        Thread.ofVirtual().name("deadline").start(() -> deadline.watch(time));
        return deadline;
    }

    private void watch(Duration time) {
        try {
            if (ended.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
            expired = true;
            cancellation.request();
            if (!ended.await(POLITE_MILLIS, TimeUnit.MILLISECONDS)) {
                interrupt();
            }
        } catch (InterruptedException never) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void interrupt() {
        if (ended.getCount() > 0) {
            concerned.interrupt();
        }
    }

    /** The cancellation that work under this deadline checks. */
    public Cancellation cancellation() {
        return cancellation;
    }

    /** Whether the time has passed, as opposed to a request to stop. */
    public boolean expired() {
        return expired;
    }

    /** Stops the timer and clears an interrupt of its own. */
    @Override
    public synchronized void close() {
        ended.countDown();
        outer.close();
        if (expired) {
            Thread.interrupted();
        }
    }
}

package volsh.disk;

import java.io.IOException;
import java.io.InterruptedIOException;
import org.jspecify.annotations.Nullable;

/**
 * One action for many callers: those that arrive while it is running wait together for a single next run. A caller
 * returns only after a run that began after its call. A failed run fails all its callers: a later success need not have
 * done their part.
 */
public final class Shared {
    private final Action action;
    private Round next = new Round();
    private boolean running;

    /** The action. */
    public interface Action {
        void run() throws IOException;
    }

    /** One run and all its callers. Guarded by the outer object; immutable once over. */
    private static final class Round {
        boolean over;
        @Nullable Throwable failure;
    }

    public Shared(Action action) {
        this.action = action;
    }

    /** @throws IOException if the run failed, with the reason as its cause */
    public void run() throws IOException {
        var round = join();
        if (leads(round)) {
            end(round, attempt());
        }
        synchronized (this) {
            if (round.failure != null) {
                throw new IOException(round.failure.getMessage(), round.failure);
            }
        }
    }

    private synchronized Round join() {
        return next;
    }

    /** Waits until the round is over (false), or begins it and leaves it to the caller to run (true). */
    private synchronized boolean leads(Round round) throws InterruptedIOException {
        try {
            while (running && !round.over) {
                wait();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for other threads");
        }
        if (round.over) {
            return false;
        }
        running = true;
        next = new Round();
        return true;
    }

    private @Nullable Throwable attempt() {
        try {
            action.run();
            return null;
        } catch (IOException | RuntimeException | Error failure) {
            return failure;
        }
    }

    private synchronized void end(Round round, @Nullable Throwable failure) {
        round.over = true;
        round.failure = failure;
        running = false;
        notifyAll();
    }
}

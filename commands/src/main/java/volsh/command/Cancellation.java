package volsh.command;

import java.util.ArrayList;
import java.util.List;
import volsh.command.failure.CancelledException;

/**
 * A request to stop, made at most once. Loops call {@link #check()}; a thread before a long wait opens
 * {@link #interrupting()}, so that the wait ends; other waits register {@link #onRequest}. Thread-safe.
 */
public final class Cancellation {
    private final List<Runnable> listeners = new ArrayList<>();
    private volatile boolean requested;

    /** Asks the command to stop. Later calls do nothing. */
    public void request() {
        List<Runnable> toTell;
        synchronized (listeners) {
            if (requested) {
                return;
            }
            requested = true;
            toTell = List.copyOf(listeners);
        }
        toTell.forEach(Runnable::run);
    }

    public boolean requested() {
        return requested;
    }

    /** @throws CancelledException if the command has to stop */
    public void check() {
        if (requested) {
            throw new CancelledException();
        }
    }

    /** Runs {@code listener} on a request to stop, at once if there was one already; until closed. */
    public Registration onRequest(Runnable listener) {
        boolean late;
        synchronized (listeners) {
            late = requested;
            listeners.add(listener);
        }
        if (late) {
            listener.run();
        }
        return () -> remove(listener);
    }

    /**
     * Within this scope a request to stop interrupts the calling thread. Not for scopes that use a file channel shared
     * with others: an interrupt closes it. Closing clears the interrupt, so that cleaning up is not disturbed.
     */
    public Registration interrupting() {
        Thread waiting = Thread.currentThread();
        Registration registration = onRequest(waiting::interrupt);
        return () -> {
            registration.close();
            if (requested) {
                Thread.interrupted();
            }
        };
    }

    private void remove(Runnable listener) {
        synchronized (listeners) {
            listeners.remove(listener);
        }
    }

    /** Ends a registration. */
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}

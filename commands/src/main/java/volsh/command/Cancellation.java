package volsh.command;

import java.util.ArrayList;
import java.util.List;
import volsh.command.failure.CancelledException;
import volsh.command.failure.ExitCode;

/**
 * A request to stop, made at most once. Loops call {@link #check()}; a thread before a long wait opens
 * {@link #interrupting()}, so that the wait ends; other waits register {@link #onRequest}. Thread-safe.
 */
public final class Cancellation {
    private final List<Runnable> listeners = new ArrayList<>();
    private volatile boolean requested;
    private volatile ExitCode exit = ExitCode.CANCELLED;

    /** Asks the command to stop. Later calls do nothing. */
    public void request() {
        request(ExitCode.CANCELLED);
    }

    /** Asks the command to stop and to end with this code, that of the signal. Later calls do nothing. */
    public void request(ExitCode as) {
        List<Runnable> toTell;
        synchronized (listeners) {
            if (requested) {
                return;
            }
            exit = as;
            requested = true;
            toTell = List.copyOf(listeners);
        }
        toTell.forEach(Runnable::run);
    }

    public boolean requested() {
        return requested;
    }

    /** The code that a command ends with that was asked to stop. */
    public ExitCode exit() {
        return exit;
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

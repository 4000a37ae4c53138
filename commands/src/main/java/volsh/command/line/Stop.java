package volsh.command.line;

import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.Callable;
import volsh.command.Cancellation;
import volsh.command.failure.CancelledException;

/** The wish to stop that concerns the calling thread: the innermost deadline around it, or the program's. */
public final class Stop {
    private static final ScopedValue<Cancellation> CURRENT = ScopedValue.newInstance();

    private Stop() {}

    /** Runs {@code work} so that this wish concerns it. */
    public static <R> R under(Cancellation cancellation, Callable<R> work) throws Exception {
        return ScopedValue.where(CURRENT, cancellation).call(work::call);
    }

    public static Cancellation current(Cancellation otherwise) {
        return CURRENT.isBound() ? CURRENT.get() : otherwise;
    }

    /**
     * What went wrong in work that was asked to stop: when it was interrupted, whatever came of that means just this.
     */
    public static Throwable reason(Throwable failure, Cancellation stop) {
        for (Throwable at = failure; at != null && stop.requested(); at = at.getCause()) {
            if (at instanceof InterruptedException || at instanceof InterruptedIOException
                    || at instanceof ClosedByInterruptException) {
                return new CancelledException();
            }
        }
        return failure;
    }

    /** Called by every loop, method and block of a script. @throws CancelledException when it is to stop */
    public static void check() {
        if (CURRENT.isBound()) {
            CURRENT.get().check();
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new CancelledException();
        }
    }
}

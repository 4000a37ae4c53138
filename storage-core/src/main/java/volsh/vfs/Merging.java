package volsh.vfs;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import volsh.chunk.Crowded;

/**
 * Has crowded parts of files merged in the background, one at a time, in the order they were found. Any of them may be
 * forgotten: who writes or reads there next finds it again. While that fails, more and more of what is found is.
 */
final class Merging implements Crowded, AutoCloseable {
    private static final int WAITING_MAX = 1000;
    private static final int FAILURES_MAX = 10;

    private final Merger merger;
    private final Executor executor;
    private final LinkedHashSet<Part> waiting = new LinkedHashSet<>();
    private boolean called;   // the executor has our task
    private boolean working;
    private int failures;
    private int ignored;   // so many more are
    private volatile boolean closed;

    private record Part(long ino, long start) {}

    /** Asked for only when it is used: the first logger opens every jar of the class path, and every command that opens a volume would wait for that. */
    private static final class Log {
        static final Logger LOG = System.getLogger("volsh.vfs");
    }

    /** Who does it; he stops soon when told to. */
    interface Merger {
        void merge(long ino, long start, BooleanSupplier stopped) throws IOException;
    }

    Merging(Merger merger, Executor executor) {
        this.merger = merger;
        this.executor = executor;
    }

    @Override
    public void found(long ino, long start) {
        if (isToBeCalled(new Part(ino, start))) {
            try {
                executor.execute(this::work);
            } catch (RejectedExecutionException closing) {
                close();
            }
        }
    }

    private synchronized boolean isToBeCalled(Part part) {
        if (ignored > 0) {
            ignored--;
            return false;
        }
        boolean first = !closed && waiting.size() < WAITING_MAX && waiting.add(part) && !called;
        called |= first;
        return first;
    }

    private void work() {
        for (var part = next(); part != null; part = next()) {
            merge(part);
        }
    }

    private synchronized Part next() {
        working = !closed && !waiting.isEmpty();
        if (working) {
            return waiting.removeFirst();
        }
        called = false;
        notifyAll();
        return null;
    }

    private void merge(Part part) {
        try {
            merger.merge(part.ino(), part.start(), () -> closed);
            count(0);
        } catch (IOException | RuntimeException | Error later) {
            Log.LOG.log(Level.DEBUG, () -> "inode %d at %d is not merged now".formatted(part.ino(), part.start()), later);
            count(Math.min(FAILURES_MAX, failures + 1));
        }
    }

    private synchronized void count(int failed) {
        failures = failed;
        ignored = (1 << failed) - 1;
    }

    /** Merges nothing more. Returns when nobody is at it any more. */
    @Override
    public synchronized void close() {
        closed = true;
        waiting.clear();
        boolean interrupted = false;
        while (working) {
            try {
                wait();
            } catch (InterruptedException stop) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

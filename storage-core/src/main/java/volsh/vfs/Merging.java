package volsh.vfs;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import volsh.chunk.Chunks;
import volsh.chunk.Crowded;
import volsh.chunk.FileState;
import volsh.chunk.Rewrites;

/**
 * Merges small extents of files, in the background where a file is crowded with them, and on request. Crowded parts are
 * merged one at a time, in the order in which they were found. Any of them may be forgotten, as the next read or write
 * there finds it again; while merging fails, an increasing number of them is.
 */
public final class Merging implements Crowded, AutoCloseable {
    private static final int WAITING_MAX = 1000;
    private static final int FAILURES_MAX = 10;

    private final Chunks chunks;
    private final HeldTicks held;
    private final Executor executor;
    private final LinkedHashSet<Part> waiting = new LinkedHashSet<>();
    private boolean called;   // the executor has this object's task
    private boolean working;
    private int failures;
    private int ignored;   // how many of the next parts found are forgotten
    private volatile boolean closed;

    private record Part(long ino, long start) {}

    /** Loaded on first use: the first logger opens every jar of the class path, which would delay every command. */
    private static final class Log {
        static final Logger LOG = System.getLogger("volsh.vfs");
    }

    Merging(Chunks chunks, HeldTicks held, Executor executor) {
        this.chunks = chunks;
        this.held = held;
        this.executor = executor;
    }

    /** The length of the parts of a file that are merged one by one. */
    public long span() {
        return chunks.settings().crowdSpan();
    }

    /**
     * Merges the extents of the part of a file that begins at {@code start}, if {@code most} or more of them touch each
     * other; returns how many blocks replaced them.
     */
    public int compact(long ino, long start, int most, BooleanSupplier stopped) throws IOException {
        return open(ino, state -> state.merge(start, most, stopped));
    }

    /** What was stored again to keep files in few extents. */
    public Rewrites rewrites() {
        return chunks.rewrites();
    }

    private interface Work {
        int run(FileState state) throws IOException;
    }

    /** Runs with the file counted as open, so that the blocks that are merged stay. */
    private int open(long ino, Work work) throws IOException {
        var hold = held.take();
        var state = chunks.acquire(ino);
        try {
            return work.run(state);
        } finally {
            chunks.release(state);
            held.release(hold);
        }
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

    private synchronized @Nullable Part next() {
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
            open(part.ino(), state -> state.merge(part.start(), () -> closed));
            count(0);
        } catch (IOException | RuntimeException | Error later) {
            Log.LOG.log(Level.DEBUG,
                    () -> "inode %d at %d cannot be merged now".formatted(part.ino(), part.start()), later);
            count(Math.min(FAILURES_MAX, failures + 1));
        }
    }

    private synchronized void count(int failed) {
        failures = failed;
        ignored = (1 << failed) - 1;
    }

    /** Merges nothing more. Returns when the merge under way, if any, has ended. */
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

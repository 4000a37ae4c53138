package volsh.care;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Works on several blocks at once: as many as the {@link AdaptiveConcurrency} says and there is memory for, and on one
 * while other users of the volume are waiting for its stores. One thread feeds it.
 */
public final class BlockWorkers implements AutoCloseable {
    private static final long MEMORY = 64L << 20;
    private static final long LOOK_AGAIN_MILLIS = 20;

    private final BooleanSupplier others;
    private final ExecutorService threads = Executors.newCachedThreadPool(
            Thread.ofPlatform().name("care-", 0).daemon().factory());
    private final AdaptiveConcurrency width;
    private int running;
    private long memory;
    private @Nullable Throwable failure;   // the first; null while there is none

    /** {@code others} tells whether other requests wait for the stores now. */
    public BlockWorkers(BooleanSupplier others, AdaptiveConcurrency width) {
        this.others = others;
        this.width = width;
    }

    /** What is done with a block. */
    public interface Work {
        void run() throws IOException;
    }

    /** Begins it once there is room, and returns then. @throws IOException what an earlier one failed with */
    public synchronized void add(long bytes, long needed, Work work) throws IOException {
        await(() -> running == 0 || failure != null || running < limit() && memory + needed <= MEMORY);
        rethrow();
        running++;
        memory += needed;
        threads.execute(() -> run(bytes, needed, work));
    }

    private int limit() {
        return others.getAsBoolean() ? 1 : width.now();
    }

    private void run(long bytes, long needed, Work work) {
        long begin = System.nanoTime();
        Throwable failed = null;
        try {
            work.run();
        } catch (IOException | RuntimeException | Error trouble) {
            failed = trouble;
        }
        end(bytes, needed, System.nanoTime() - begin, failed);
    }

    private synchronized void end(long bytes, long needed, long nanos, @Nullable Throwable failed) {
        running--;
        memory -= needed;
        failure = failure == null ? failed : failure;
        if (failed == null) {
            width.took(bytes, nanos);
        }
        notifyAll();
    }

    /** Waits until all have ended. @throws IOException what the first one failed with */
    public synchronized void finish() throws IOException {
        await(() -> running == 0);
        rethrow();
    }

    private synchronized void await(BooleanSupplier over) throws InterruptedIOException {
        try {
            while (!over.getAsBoolean()) {
                wait(LOOK_AGAIN_MILLIS);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("stopped; run it again to go on");
        }
    }

    private void rethrow() throws IOException {
        switch (failure) {
            case null -> { }
            case IOException known -> throw known;
            case RuntimeException known -> throw known;
            case Error fatal -> throw fatal;
            default -> throw new IllegalStateException(failure);
        }
    }

    /** Blocks under way are finished first: only their threads give their memory back. */
    @Override
    public void close() {
        threads.close();
    }
}

package volsh.transfer;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Worker threads of one transfer, with a bounded queue. The first task that throws stops them all: tasks not yet begun
 * are dropped, and {@link #finish} throws its exception.
 */
public final class TransferThreads implements AutoCloseable {
    private final ExecutorService threads;
    private final Semaphore places;
    private final int placeCount;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    public TransferThreads(int workers) {
        this.placeCount = 2 * workers;
        this.places = new Semaphore(placeCount);
        this.threads = Executors.newFixedThreadPool(workers, threads("transfer-"));
    }

    /** Makes numbered threads. Numbering by the JDK has to be linked first, which takes longer than starting them. */
    static ThreadFactory threads(String prefix) {
        var number = new AtomicInteger();
        return task -> Thread.ofPlatform().daemon().name(prefix + number.getAndIncrement()).unstarted(task);
    }

    /** A task of a transfer. */
    public interface Task {
        void run() throws IOException;
    }

    /** Submits a task; waits while the queue is full. @throws IOException if a task failed */
    public void submit(Task task) throws IOException {
        acquire(1);
        if (failure.get() != null) {
            places.release();
            rethrow();
        }
        threads.execute(() -> {
            try {
                if (failure.get() == null) {
                    task.run();
                }
            } catch (IOException | RuntimeException | Error failed) {
                failure.compareAndSet(null, failed);
            } finally {
                places.release();
            }
        });
    }

    /** Returns when all tasks are done. @throws IOException the failure of the first task that failed */
    public void finish() throws IOException {
        acquire(placeCount);
        places.release(placeCount);
        rethrow();
    }

    private void acquire(int count) throws InterruptedIOException {
        try {
            places.acquire(count);
        } catch (InterruptedException stop) {
            failure.compareAndSet(null, new InterruptedIOException("cancelled"));
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled");
        }
    }

    private void rethrow() throws IOException {
        var first = failure.get();
        if (first == null) {
            return;
        }
        switch (first) {
            case IOException failed -> throw failed;
            case RuntimeException failed -> throw failed;
            case Error failed -> throw failed;
            case Throwable other -> throw new IOException(other);
        }
    }

    /** Drops tasks that have not begun and waits for running ones. */
    @Override
    public void close() {
        failure.compareAndSet(null, new InterruptedIOException("cancelled"));
        threads.close();
    }
}

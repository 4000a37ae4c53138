package volsh.transfer;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Threads that do the tasks of one transfer, a bounded number waiting. The first task that throws stops the crew: tasks
 * not yet begun are dropped, and {@link #finish} throws its exception.
 */
public final class TransferThreads implements AutoCloseable {
    private final ExecutorService threads;
    private final Semaphore places;
    private final int placeCount;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    public TransferThreads(int workers) {
        this.placeCount = 2 * workers;
        this.places = new Semaphore(placeCount);
        this.threads = Executors.newFixedThreadPool(workers, threads("transfer-"));
    }

    /** Threads that are numbered. The JDK's own way to number them has to be linked first, which takes longer than to start them. */
    static ThreadFactory threads(String prefix) {
        var number = new AtomicInteger();
        return task -> Thread.ofPlatform().daemon().name(prefix + number.getAndIncrement()).unstarted(task);
    }

    /** What a crew does. */
    public interface Task {
        void run() throws IOException;
    }

    /** Hands a task over; waits while too many wait already. @throws IOException if a task failed */
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

    /** Returns when all tasks are done. @throws IOException what the first failed task threw */
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

    /** Drops what has not begun and waits for what has. */
    @Override
    public void close() {
        failure.compareAndSet(null, new InterruptedIOException("cancelled"));
        threads.close();
    }
}

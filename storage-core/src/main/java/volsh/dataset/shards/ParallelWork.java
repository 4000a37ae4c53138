package volsh.dataset.shards;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Works on items with several threads, in their order; the first failure ends the work and is thrown. */
final class ParallelWork {
    private ParallelWork() {}

    interface Task<T> {
        void run(T item) throws IOException;
    }

    static <T> void run(List<T> items, int threads, Task<T> task) throws IOException {
        var next = new AtomicInteger();
        var failure = new AtomicReference<@Nullable Throwable>();
        var workers = new ArrayList<Thread>();
        for (int i = 0; i < Math.min(threads, items.size()); i++) {
            workers.add(Thread.ofPlatform().name("dataset-" + i).start(() -> work(items, next, failure, task)));
        }
        boolean interrupted = false;
        for (var worker : workers) {
            while (worker.isAlive()) {
                try {
                    worker.join();
                } catch (InterruptedException stop) {
                    interrupted = true;
                    failure.compareAndSet(null, new InterruptedIOException("cancelled"));
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        rethrow(failure.get());
    }

    private static <T> void work(List<T> items, AtomicInteger next, AtomicReference<@Nullable Throwable> failure,
            Task<T> task) {
        try {
            for (int i = next.getAndIncrement(); i < items.size() && failure.get() == null;
                    i = next.getAndIncrement()) {
                task.run(items.get(i));
            }
        } catch (IOException | RuntimeException | Error failed) {
            failure.compareAndSet(null, failed);
        }
    }

    private static void rethrow(@Nullable Throwable failed) throws IOException {
        if (failed == null) {
            return;
        }
        switch (failed) {
            case IOException io -> throw io;
            case RuntimeException wrong -> throw wrong;
            case Error error -> throw error;
            default -> throw new IllegalStateException(failed);
        }
    }
}

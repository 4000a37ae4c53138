package volsh.lifecycle;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import volsh.block.BlockStore;

/**
 * Deletes many objects of a store in batches, several at a time, as a slow store would take long for each. For one
 * thread; the watcher may stop it between batches.
 */
final class BatchedDeletes implements AutoCloseable {
    private static final int BATCH = 100;
    private static final int THREADS = 8;

    private final BlockStore store;
    private final DestructionWatcher watcher;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS,
            Thread.ofPlatform().daemon().name("delete-", 0).factory());
    private final Deque<Future<List<BlockStore.Listed>>> running = new ArrayDeque<>();
    private List<BlockStore.Listed> batch = new ArrayList<>();
    private long deleted;

    BatchedDeletes(BlockStore store, DestructionWatcher watcher) {
        this.store = store;
        this.watcher = watcher;
    }

    void add(BlockStore.Listed object) throws IOException {
        batch.add(object);
        if (batch.size() == BATCH) {
            begin();
        }
    }

    private void begin() throws IOException {
        requireWanted();
        var some = batch;
        batch = new ArrayList<>();
        running.add(threads.submit(() -> {
            store.deleteAll(some.stream().map(BlockStore.Listed::key).toList());
            return some;
        }));
        if (running.size() == THREADS) {
            await();
        }
    }

    /** Waits for the batch that began first, and tells of it. */
    private void await() throws IOException {
        try {
            for (var object : running.removeFirst().get()) {
                watcher.deleted(object.size());
                deleted++;
            }
            requireWanted();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw stopped();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException trouble ? trouble : new IOException(failed.getCause());
        }
    }

    private void requireWanted() throws InterruptedIOException {
        if (watcher.cancelled()) {
            throw stopped();
        }
    }

    private static InterruptedIOException stopped() {
        return new InterruptedIOException("stopped half way; run it again to finish");
    }

    /** Deletes the rest; returns how many objects were deleted in all. */
    long finish() throws IOException {
        if (!batch.isEmpty()) {
            begin();
        }
        while (!running.isEmpty()) {
            await();
        }
        return deleted;
    }

    /** Begins no other batch; those that are under way end first. */
    @Override
    public void close() {
        running.forEach(each -> each.cancel(false));
        threads.close();
    }
}

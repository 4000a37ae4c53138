package volsh.volume;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import volsh.engine.RequestClock;

/** The threads of an open volume: for blocks, for reading ahead, and one that merges extents. */
final class VolumeThreads implements AutoCloseable {
    private static final int THREADS = 8;
    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final Duration LAST_TASKS = Duration.ofSeconds(2);

    private final ExecutorService blocks = Executors.newFixedThreadPool(THREADS, threads("io-"));
    private final ExecutorService ahead = Executors.newCachedThreadPool(threads("ahead-"));
    private final ExecutorService merging = oneThread("merging");
    private volatile boolean abandoned;

    /** Numbers threads by hand: the JDK's own way has to be linked first, which takes longer than to start them. */
    private static ThreadFactory threads(String prefix) {
        var number = new AtomicInteger();
        return task -> Thread.ofPlatform().daemon().name(prefix + number.getAndIncrement()).unstarted(task);
    }

    /** A thread that lives only while it has something to do. */
    private static ExecutorService oneThread(String name) {
        return new ThreadPoolExecutor(
                0, 1, IDLE.toSeconds(), TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                Thread.ofPlatform().name(name).daemon().factory());
    }

    /** Uploads and reads blocks, within the deadline of the request that asks for it. */
    Executor blocks() {
        return task -> blocks.execute(RequestClock.carried(task));
    }

    Executor ahead() {
        return ahead;
    }

    Executor merging() {
        return merging;
    }

    /** Interrupts the transfer of blocks: the volume is about to be closed, and what it has not stored is dropped. */
    void abandon() {
        blocks.shutdownNow();
        abandoned = true;
    }

    boolean isAbandoned() {
        return abandoned;
    }

    /** Lets running tasks finish; waits for transfers of blocks only if they were interrupted, and then not long. */
    @Override
    public void close() {
        blocks.shutdown();
        ahead.shutdown();
        merging.shutdown();
        if (abandoned) {
            awaitLast();
        }
    }

    private void awaitLast() {
        try {
            var _ = blocks.awaitTermination(LAST_TASKS.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}

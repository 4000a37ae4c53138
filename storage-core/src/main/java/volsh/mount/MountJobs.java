package volsh.mount;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import volsh.warm.Undertaking;

/**
 * The jobs that a mount's process does for others. Each has its own thread. Whoever started one asks for its status; if nobody
 * does for {@value #PATIENCE_SECONDS} seconds, he is gone, and the job is cancelled. Jobs that are over are remembered for as long.
 */
final class MountJobs implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 15;
    private static final int RUNNING_MAX = 16;
    private static final Duration FAREWELL = Duration.ofSeconds(5);

    private final Map<Long, Entry> jobs = new LinkedHashMap<>();
    private long last;

    /** A job, its thread, and when it was last asked for. */
    private static final class Entry {
        final Undertaking job;
        final Thread thread;
        long asked = System.nanoTime();

        Entry(Undertaking job, long number) {
            this.job = job;
            this.thread = Thread.ofPlatform().daemon().name("job-" + number).unstarted(job::run);
        }

        boolean isForgotten() {
            return System.nanoTime() - asked > Duration.ofSeconds(PATIENCE_SECONDS).toNanos();
        }
    }

    /** Starts it; returns its number. @throws IOException if too many run already */
    synchronized long start(Undertaking job) throws IOException {
        tidy();
        if (jobs.values().stream().filter(entry -> !entry.job.isOver()).count() >= RUNNING_MAX) {
            throw new IOException("%d jobs are running already".formatted(RUNNING_MAX));
        }
        last++;
        var entry = new Entry(job, last);
        jobs.put(last, entry);
        entry.thread.start();
        Thread.ofVirtual().start(() -> watch(entry));
        return last;
    }

    private void watch(Entry entry) {
        while (entry.thread.isAlive()) {
            LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
            synchronized (this) {
                if (entry.isForgotten()) {
                    entry.job.cancel();
                }
            }
        }
    }

    /** Those that are not over, by their numbers. */
    synchronized Map<Long, Undertaking> running() {
        var running = new LinkedHashMap<Long, Undertaking>();
        jobs.forEach((number, entry) -> {
            if (!entry.job.isOver()) {
                running.put(number, entry.job);
            }
        });
        return running;
    }

    private void tidy() {
        jobs.values().removeIf(entry -> entry.job.isOver() && entry.isForgotten());
    }

    /** @throws IOException if there is no such job */
    synchronized <U extends Undertaking> U find(long number, Class<U> kind) throws IOException {
        var entry = jobs.get(number);
        if (entry == null || !kind.isInstance(entry.job)) {
            throw new IOException("no such job: " + number);
        }
        entry.asked = System.nanoTime();
        return kind.cast(entry.job);
    }

    /** Cancels all, and waits a moment for them. */
    @Override
    public void close() {
        List<Entry> all;
        synchronized (this) {
            all = new ArrayList<>(jobs.values());
        }
        all.forEach(entry -> entry.job.cancel());
        try {
            for (var entry : all) {
                entry.thread.join(FAREWELL);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}

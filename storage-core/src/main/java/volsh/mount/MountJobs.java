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
 * The jobs that a mount's process runs for clients, each in its own thread. The client polls the status of its job; if
 * it does not for {@value #PATIENCE_SECONDS} seconds, it is gone and the job is cancelled. Finished jobs are remembered
 * for as long.
 */
final class MountJobs implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 15;
    private static final int RUNNING_MAX = 16;
    private static final Duration FAREWELL = Duration.ofSeconds(5);

    private final Map<Long, Entry> jobs = new LinkedHashMap<>();
    private long last;

    /** A job, its thread, and when its status was last requested. */
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

    /** Starts a job and returns its number. @throws IOException if too many are running */
    synchronized long start(Undertaking job) throws IOException {
        tidy();
        if (jobs.values().stream().filter(entry -> !entry.job.isOver()).count() >= RUNNING_MAX) {
            throw new IOException("too many jobs: %d are already running on this mount".formatted(RUNNING_MAX));
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

    /** The unfinished jobs, by number. */
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
            throw new IOException("no such job of this mount: " + number);
        }
        entry.asked = System.nanoTime();
        return kind.cast(entry.job);
    }

    /** Cancels all jobs, and waits a moment for them. */
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

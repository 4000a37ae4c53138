package volsh.checkpoint;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Saves in the background, one after the other, while the job that asked goes on. At most so many wait; whoever comes when all places
 * are taken is told that his step is skipped, and it is counted: a job is never stalled by the save before. What fails is counted, and thrown once, at
 * who waits or ends; the steps after it are saved as if nothing had happened. Thread-safe.
 */
public final class Saver implements AutoCloseable {
    private static final int ERRORS_KEPT = 8;

    private final int places;
    private final After after;
    private final ArrayDeque<Task> queue = new ArrayDeque<>();
    private final ArrayDeque<IOException> untold = new ArrayDeque<>();
    private final List<String> errors = new ArrayList<>();
    private final Thread thread;
    private OptionalLong running = OptionalLong.empty();
    private OptionalLong last = OptionalLong.empty();
    private long saved;
    private long skipped;
    private long failed;
    private boolean ending;

    /** Saves one checkpoint. */
    public interface Work {
        Checkpoint run() throws IOException;
    }

    /** What is done after each that was saved, such as thinning out. */
    public interface After {
        After NOTHING = saved -> {};

        void saved(Checkpoint checkpoint) throws IOException;
    }

    /** What became of a request. */
    public enum Answer { QUEUED, SKIPPED }

    private record Task(long step, Work work) {}

    /**
     * How it stands.
     *
     * @param waiting steps that wait, the one in work not included
     * @param running the step in work
     * @param last    the step saved last
     * @param errors  what failed lately, told or not
     * @param untold  how many failed that nobody was told of who waited
     */
    public record Status(int waiting, OptionalLong running, OptionalLong last, long saved, long skipped, long failed, List<String> errors, int untold) {
        public boolean idle() {
            return waiting == 0 && running.isEmpty();
        }
    }

    /** {@code places} may wait besides the one in work. */
    public Saver(int places, After after) {
        if (places < 1) {
            throw new IllegalArgumentException("at least one must be able to wait: " + places);
        }
        this.places = places;
        this.after = after;
        this.thread = Thread.ofPlatform().name("checkpoint-saver").daemon().start(this::work);
    }

    /** Takes a save over, or skips it if too many wait. What went wrong with an earlier one is no reason not to. @throws IOException if it was ended */
    public synchronized Answer offer(long step, Work work) throws IOException {
        if (skips()) {
            return Answer.SKIPPED;
        }
        queue.add(new Task(step, work));
        notifyAll();
        return Answer.QUEUED;
    }

    /** Asked before anything is copied: true if all places are taken, and then a step is counted as skipped. @throws IOException as {@link #offer} does */
    public synchronized boolean skips() throws IOException {
        if (ending) {
            throw new IOException("it has been ended");
        }
        boolean full = queue.size() >= places;
        skipped += full ? 1 : 0;
        return full;
    }

    private void tell() throws IOException {
        var first = untold.poll();
        if (first != null) {
            for (var other = untold.poll(); other != null; other = untold.poll()) {
                first.addSuppressed(other);
            }
            throw first;
        }
    }

    public synchronized Status status() {
        return new Status(queue.size(), running, last, saved, skipped, failed, List.copyOf(errors), untold.size());
    }

    /** Returns when nothing waits and nothing runs, or the time is over. @throws IOException what went wrong and nobody was told yet */
    public synchronized Status await(Duration longest) throws IOException {
        long deadline = System.nanoTime() + longest.toNanos();
        while (!status().idle()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return status();
            }
            try {
                wait(left / 1_000_000 + 1);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("cancelled");
            }
        }
        tell();
        return status();
    }

    private void work() {
        for (var task = next(); task != null; task = next()) {
            try {
                var checkpoint = task.work().run();
                done(task);
                after.saved(checkpoint);
            } catch (IOException trouble) {
                note(task, trouble);
            } catch (RuntimeException | Error trouble) {
                note(task, new IOException(trouble));
            } finally {
                over();
            }
        }
    }

    private synchronized @Nullable Task next() {
        while (queue.isEmpty()) {
            if (ending) {
                return null;
            }
            try {
                wait();
            } catch (InterruptedException stop) {
                return null;
            }
        }
        var task = queue.poll();
        running = OptionalLong.of(task.step());
        return task;
    }

    private synchronized void done(Task task) {
        saved++;
        last = OptionalLong.of(task.step());
    }

    private synchronized void note(Task task, IOException trouble) {
        failed++;
        String message = "step %d: %s".formatted(task.step(), trouble.getMessage());
        errors.add(message);
        if (errors.size() > ERRORS_KEPT) {
            errors.removeFirst();
        }
        untold.add(new IOException(message, trouble));
    }

    private synchronized void over() {
        running = OptionalLong.empty();
        notifyAll();
    }

    /** Finishes what waits, then ends. @throws IOException what went wrong and nobody was told yet */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            ending = true;
            notifyAll();
        }
        try {
            thread.join();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled");
        }
        synchronized (this) {
            tell();
        }
    }
}

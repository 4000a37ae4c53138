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
 * Saves in the background, one after the other, while the job goes on. The queue is bounded; a step that arrives when
 * it is full is skipped and counted: a job is never stalled by the previous save. Failures are counted, and thrown
 * once, by await or close; later steps are saved regardless. Thread-safe.
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

    /** Runs after each successful save, such as pruning. */
    public interface After {
        After NOTHING = saved -> {};

        void saved(Checkpoint checkpoint) throws IOException;
    }

    /** The result of a request. */
    public enum Answer { QUEUED, SKIPPED }

    private record Task(long step, Work work) {}

    /**
     * The current state.
     *
     * @param waiting steps that wait, not including the running one
     * @param running the step being saved
     * @param last    the step saved last
     * @param errors  recent failures, reported or not
     * @param untold  how many failures were not yet reported to a waiting caller
     */
    public record Status(int waiting, OptionalLong running, OptionalLong last, long saved, long skipped, long failed,
            List<String> errors, int untold) {
        public boolean idle() {
            return waiting == 0 && running.isEmpty();
        }
    }

    /** {@code places} may wait besides the running one. */
    public Saver(int places, After after) {
        if (places < 1) {
            throw new IllegalArgumentException("the queue needs at least one place: " + places);
        }
        this.places = places;
        this.after = after;
        this.thread = Thread.ofPlatform().name("checkpoint-saver").daemon().start(this::work);
    }

    /**
     * Queues a save, or skips it if the queue is full, regardless of earlier failures.
     * @throws IOException if it was closed
     */
    public synchronized Answer offer(long step, Work work) throws IOException {
        if (skips()) {
            return Answer.SKIPPED;
        }
        queue.add(new Task(step, work));
        notifyAll();
        return Answer.QUEUED;
    }

    /**
     * Called before anything is copied: true if the queue is full, which counts the step as skipped.
     * @throws IOException as {@link #offer} does
     */
    public synchronized boolean skips() throws IOException {
        if (ending) {
            throw new IOException("saving checkpoints has ended: the mount is closing");
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

    /**
     * Returns when nothing waits and nothing runs, or at the timeout.
     * @throws IOException with failures not yet reported
     */
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

    /** Finishes the queue, then ends. @throws IOException with failures not yet reported */
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

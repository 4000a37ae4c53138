package volsh.command.complete;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A question with a cached answer. A caller waits a moment for a new answer, and else gets the last one; the new answer
 * serves the next call. Concurrent callers share one deadline, so that none waits after it.
 */
final class Remembered {
    private static final long FRESH_NANOS = Duration.ofMillis(50).toNanos();

    private List<Candidate> last = List.of();
    private long answered;
    private boolean any;
    private @Nullable CompletableFuture<@Nullable Void> asking;
    private long asked;

    /** What is known, and when there will be a newer answer; empty if none is on its way. */
    record Answer(List<Candidate> candidates, Optional<CompletableFuture<@Nullable Void>> arrival) {}

    /** The answer, perhaps an old one; {@code bound} is how many questions may be unanswered at once. */
    Answer answer(Callable<List<Candidate>> source, Duration patience, Semaphore bound) {
        var arrival = arrival(source, bound);
        if (arrival != null) {
            await(arrival, patience.minusNanos(Math.max(0, System.nanoTime() - asked)));
        }
        synchronized (this) {
            return new Answer(last, Optional.ofNullable(arrival).filter(awaited -> !awaited.isDone()));
        }
    }

    /** When a new answer comes; null if the last one is as good, or nothing more can be asked. */
    private synchronized @Nullable CompletableFuture<@Nullable Void> arrival(Callable<List<Candidate>> source,
            Semaphore bound) {
        boolean fresh = any && System.nanoTime() - answered < FRESH_NANOS;
        if (asking == null && !fresh && bound.tryAcquire()) {
            var arrival = new CompletableFuture<@Nullable Void>();
            asking = arrival;
            asked = System.nanoTime();
            Thread.ofPlatform().daemon().name("completion").start(() -> ask(source, bound, arrival));
        }
        return fresh ? null : asking;
    }

    private void ask(Callable<List<Candidate>> source, Semaphore bound, CompletableFuture<@Nullable Void> arrival) {
        List<Candidate> answer = null;
        try {
            answer = source.call();
        } catch (Exception noAnswer) {
            // keep the last answer
        } finally {
            bound.release();
            learn(answer);
            arrival.complete(null);
        }
    }

    private synchronized void learn(@Nullable List<Candidate> answer) {
        asking = null;
        if (answer != null) {
            last = List.copyOf(answer);
            any = true;
            answered = System.nanoTime();
        }
    }

    private static void await(CompletableFuture<@Nullable Void> arrival, Duration patience) {
        try {
            arrival.get(Math.max(0, patience.toNanos()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException late) {
            // for the next call
        } catch (InterruptedException cancelled) {
            Thread.currentThread().interrupt();
        }
    }
}

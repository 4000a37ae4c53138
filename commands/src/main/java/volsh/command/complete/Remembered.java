package volsh.command.complete;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One question and the last answer to it. Whoever asks waits a moment for a new answer, and else gets the last one; the new
 * one is there for who asks next. While nobody answers, only the first who asked has waited.
 */
final class Remembered {
    private static final long FRESH_NANOS = Duration.ofMillis(250).toNanos();

    private List<Candidate> last = List.of();
    private long answered;
    private boolean any;
    private boolean asking;

    /** The answer, perhaps an old one; {@code asked} bounds how many questions may be unanswered at once. */
    List<Candidate> answer(Callable<List<Candidate>> source, Duration patience, Semaphore asked) {
        var arrival = new CompletableFuture<Void>();
        synchronized (this) {
            boolean fresh = any && System.nanoTime() - answered < FRESH_NANOS;
            if (fresh || asking || !asked.tryAcquire()) {
                return last;
            }
            asking = true;
        }
        Thread.ofPlatform().daemon().name("completion").start(() -> ask(source, asked, arrival));
        await(arrival, patience);
        synchronized (this) {
            return last;
        }
    }

    private void ask(Callable<List<Candidate>> source, Semaphore asked, CompletableFuture<Void> arrival) {
        List<Candidate> answer = null;
        try {
            answer = source.call();
        } catch (Exception noAnswer) {
            // The last one stands.
        } finally {
            asked.release();
            learn(answer);
            arrival.complete(null);
        }
    }

    private synchronized void learn(List<Candidate> answer) {
        asking = false;
        if (answer != null) {
            last = List.copyOf(answer);
            any = true;
            answered = System.nanoTime();
        }
    }

    private static void await(CompletableFuture<Void> arrival, Duration patience) {
        try {
            arrival.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException late) {
            // For who asks next.
        } catch (InterruptedException cancelled) {
            Thread.currentThread().interrupt();
        }
    }
}

package volsh.block;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a call that fails, as long as a {@link RetryPolicy} permits. Waits between half and all of what it says, at
 * random, so that many clients do not retry at once; longer if the store asks for it. A refusal is an answer and is not
 * retried; an interrupted caller does not wait.
 */
public record RetryLoop(RetryPolicy policy, Pause pause, Random random) {
    public RetryLoop(RetryPolicy policy) {
        this(policy, Pause.REAL, new Random());
    }

    /** Which failures are answers, and thrown at once. */
    public interface Answers {
        boolean include(IOException failure);
    }

    public <R extends @Nullable Object> R repeat(String what, String key, Answers answers, Call<R> call)
            throws IOException {
        long start = pause.nanoTime();
        for (int attempt = 1; ; attempt++) {
            try {
                return call.run();
            } catch (RefusedException | ClosedByInterruptException answer) {
                throw answer;
            } catch (IOException failed) {
                if (answers.include(failed) || Thread.currentThread().isInterrupted()) {
                    throw failed;
                }
                waitOrGiveUp(what, key, attempt, start, failed);
            }
        }
    }

    private void waitOrGiveUp(String what, String key, int attempt, long start, IOException failed) throws IOException {
        Duration asked = failed instanceof SlowDownException slow ? slow.atLeast() : Duration.ZERO;
        Duration delay = jittered(policy.delay(attempt)).plus(asked);
        Duration passed = Duration.ofNanos(pause.nanoTime() - start);
        if (attempt >= policy.attempts() || passed.plus(delay).compareTo(policy.total()) > 0) {
            throw new UnavailableException(policy.attempts() == 1 ? String.valueOf(failed.getMessage())
                    : "failed to %s %s after %d attempts in %d ms: %s"
                    .formatted(what, key, attempt, passed.toMillis(), failed.getMessage()), failed);
        }
        pause.sleep(delay);
    }

    private Duration jittered(Duration delay) {
        long nanos = delay.toNanos();
        return Duration.ofNanos(nanos - (nanos < 2 ? 0 : random.nextLong(nanos / 2)));
    }
}

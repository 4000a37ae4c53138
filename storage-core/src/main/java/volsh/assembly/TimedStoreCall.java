package volsh.assembly;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import volsh.block.Call;

/**
 * Asks a store with a time limit, for answers that are not worth a long wait. A store that was silent once is not asked
 * again: the caller has many questions, and can do without the answers.
 */
public final class TimedStoreCall {
    /** A store that works has answered by then. */
    public static final Duration SOON = Duration.ofSeconds(3);

    private final Duration soon;
    private volatile boolean silent;

    public TimedStoreCall(Duration soon) {
        this.soon = soon;
    }

    /**
     * Empty if it failed, or there was no answer soon: then the call is left behind in a thread of its own, and ends
     * when the store is closed.
     */
    public <R> Optional<R> ask(Call<R> question) {
        if (silent) {
            return Optional.empty();
        }
        var answer = new FutureTask<>(question::run);
        Thread.ofPlatform().daemon().name("inquiry").start(answer);   // not interrupted: it may read the metadata
        try {
            return Optional.of(answer.get(soon.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException late) {
            silent = true;
            return Optional.empty();
        } catch (ExecutionException failed) {
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}

package volsh.mount;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import volsh.block.Call;
import volsh.catalog.Refusal;
import volsh.fs.FsException;
import volsh.unit.Span;

/**
 * Runs one action in a thread of its own, one run at a time. Callers wait only as long as they choose, however long an
 * unresponsive store takes to time out.
 */
final class BackgroundRun {
    private final String name;
    private final Call.Action action;
    private @Nullable FutureTask<Void> running;   // guarded by this; null: never

    BackgroundRun(String name, Call.Action action) {
        this.name = name;
        this.action = action;
    }

    /**
     * Returns true when a run that began after this call has ended, false at the timeout: then the run goes on. A run
     * already in progress may have missed recent changes, so another one follows it.
     *
     * @throws IOException if the run failed
     */
    boolean await(Duration longest) throws IOException {
        long end = System.nanoTime() + longest.toNanos();
        var before = unfinished();
        try {
            if (before.isPresent()) {
                awaitEnd(before.get(), end);
            }
            current().get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException later) {
            return false;   // it goes on
        } catch (ExecutionException failed) {
            throw told(failed.getCause() == null ? failed : failed.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Like {@link #await}; {@code left} says what a run that takes longer has not done yet.
     *
     * @throws Refusal with the reason why the run failed, or UNAVAILABLE at the timeout
     */
    void require(Duration longest, Supplier<String> left) throws Refusal {
        try {
            if (!await(longest)) {
                throw new Refusal(Refusal.Reason.UNAVAILABLE,
                        "timed out: %s after %s".formatted(left.get(), new Span(longest)));
            }
        } catch (Refusal refused) {
            throw refused;
        } catch (IOException failed) {
            throw new Refusal(MountTrouble.kind(failed).reason(), String.valueOf(failed.getMessage()), failed);
        }
    }

    /** Waits for an earlier run; its result is reported to its own callers. */
    private static void awaitEnd(FutureTask<Void> before, long end) throws InterruptedException, TimeoutException {
        try {
            before.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            // the next run may succeed
        }
    }

    private static IOException told(Throwable cause) {
        return switch (cause) {
            case FsException refused -> refused;
            case Refusal refused -> refused;
            default -> new IOException(cause.getMessage(), cause);
        };
    }

    private synchronized Optional<FutureTask<Void>> unfinished() {
        return Optional.ofNullable(running).filter(task -> !task.isDone());
    }

    private synchronized FutureTask<Void> current() {
        if (running == null || running.isDone()) {
            running = new FutureTask<>(Call.of(action)::run);
            Thread.ofPlatform().daemon().name(name).start(running);
        }
        return running;
    }
}

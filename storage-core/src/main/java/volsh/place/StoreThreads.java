package volsh.place;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Threads that call several stores at once: at most 256; beyond that the caller's own thread runs the task. */
final class StoreThreads implements Executor, AutoCloseable {
    private static final int THREADS = 256;
    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, THREADS, IDLE_SECONDS,
            TimeUnit.SECONDS, new SynchronousQueue<>(), Thread.ofPlatform().name("place-", 0).daemon().factory(),
            new ThreadPoolExecutor.CallerRunsPolicy());

    /** How a task ended: {@code failure} is null if it succeeded; a {@code late} task is still running. */
    record Outcome<R extends @Nullable Object>(@Nullable R value, @Nullable IOException failure, boolean late) {
        Outcome(@Nullable R value, @Nullable IOException failure) {
            this(value, failure, false);
        }

        /** The value; {@code other} if it failed. */
        R orElse(R other) {
            return value == null ? other : value;
        }
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /** Runs all tasks, the first one in this thread, and returns when all have ended. */
    <R extends @Nullable Object> List<Outcome<R>> all(List<Callable<R>> tasks) throws InterruptedIOException {
        var futures = new ArrayList<FutureTask<R>>();
        for (var task : tasks) {
            futures.add(new FutureTask<>(task));
        }
        futures.subList(Math.min(1, futures.size()), futures.size()).forEach(threads::execute);
        if (!futures.isEmpty()) {
            futures.getFirst().run();
        }
        var outcomes = new ArrayList<Outcome<R>>();
        boolean interrupted = false;
        for (var future : futures) {
            while (true) {
                try {
                    outcomes.add(outcome(future));
                    break;
                } catch (InterruptedException stop) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for stores");
        }
        return outcomes;
    }

    /** Runs all tasks in other threads. A task that does not end in time has failed, and may go on using its memory. */
    <R extends @Nullable Object> List<Outcome<R>> within(Duration limit, List<Callable<R>> tasks)
            throws InterruptedIOException {
        var futures = tasks.stream().map(FutureTask::new).toList();
        futures.forEach(threads::execute);
        long end = System.nanoTime() + limit.toNanos();
        var outcomes = new ArrayList<Outcome<R>>();
        for (var future : futures) {
            try {
                future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                outcomes.add(outcome(future));
            } catch (ExecutionException failed) {
                outcomes.add(failure(failed));
            } catch (TimeoutException late) {
                outcomes.add(new Outcome<>(null,
                        new IOException("timed out: no answer for %d s".formatted(limit.toSeconds()), late), true));
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for stores");
            }
        }
        return outcomes;
    }

    private static <R extends @Nullable Object> Outcome<R> outcome(FutureTask<R> future) throws InterruptedException {
        try {
            return new Outcome<>(future.get(), null);
        } catch (ExecutionException failed) {
            return failure(failed);
        }
    }

    private static <R extends @Nullable Object> Outcome<R> failure(ExecutionException failed) {
        return switch (failed.getCause()) {
            case IOException known -> new Outcome<>(null, known);
            case Error fatal -> throw fatal;
            case null, default -> new Outcome<>(null, new IOException(failed.getCause()));
        };
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}

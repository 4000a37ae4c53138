package volsh.place;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads that ask several stores at once: at most 256, and who finds none free does it himself. */
final class Crew implements Executor, AutoCloseable {
    private static final int THREADS = 256;
    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
            Thread.ofPlatform().name("place-", 0).daemon().factory(), new ThreadPoolExecutor.CallerRunsPolicy());

    /** How a task ended: {@code failure} is null if it succeeded. */
    record Outcome<R>(R value, IOException failure) {
        boolean isDone() {
            return failure == null;
        }
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /** Does all of them, the first one in this thread, and returns when none runs any more: their memory is the caller's again. */
    <R> List<Outcome<R>> all(List<Callable<R>> tasks) throws InterruptedIOException {
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
            throw new InterruptedIOException("interrupted while stores were asked");
        }
        return outcomes;
    }

    private static <R> Outcome<R> outcome(FutureTask<R> future) throws InterruptedException {
        try {
            return new Outcome<>(future.get(), null);
        } catch (ExecutionException failed) {
            return switch (failed.getCause()) {
                case IOException known -> new Outcome<>(null, known);
                case Error fatal -> throw fatal;
                default -> new Outcome<>(null, new IOException(failed.getCause()));
            };
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}

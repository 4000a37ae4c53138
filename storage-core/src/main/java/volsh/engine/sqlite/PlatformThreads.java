package volsh.engine.sqlite;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import volsh.engine.Outcome;

/**
 * Runs native calls of virtual threads on platform threads, because they would block the carrier thread. Platform
 * threads call directly: handing over would cost more than the call.
 */
final class PlatformThreads implements AutoCloseable {
    /** A native call. */
    @FunctionalInterface
    interface Call<R extends @Nullable Object> {
        R run() throws IOException;
    }

    private final ThreadPoolExecutor threads;

    PlatformThreads(int count) {
        threads = new ThreadPoolExecutor(count, count, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("volsh-meta-native-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
    }

    <R extends @Nullable Object> R call(Call<R> call) throws IOException {
        if (!Thread.currentThread().isVirtual()) {
            return call.run();
        }
        return handedOver(call).join().result();
    }

    private <R extends @Nullable Object> CompletableFuture<Outcome<R>> handedOver(Call<R> call)
            throws IOException {
        try {
            return CompletableFuture.supplyAsync(() -> outcome(call), threads);
        } catch (RejectedExecutionException closed) {
            throw new IOException("the metadata engine is closed", closed);
        }
    }

    private static <R extends @Nullable Object> Outcome<R> outcome(Call<R> call) {
        try {
            return Outcome.returned(call.run());
        } catch (Throwable thrown) {
            return Outcome.threw(thrown);
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}

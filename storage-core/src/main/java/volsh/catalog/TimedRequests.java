package volsh.catalog;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs requests one after the other on a thread of its own, each for a limited time; one that hangs is abandoned. */
final class TimedRequests implements AutoCloseable {
    private final Duration longest;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("store-probe").daemon().factory());
    private boolean silent;

    TimedRequests(Duration longest) {
        this.longest = longest;
    }

    /** Whether a request took too long. */
    boolean isSilent() {
        return silent;
    }

    interface Request {
        void run() throws IOException;
    }

    /** Returns how many nanoseconds it took, at least 1. */
    long run(Request request) throws IOException, TimeoutException {
        var answer = thread.submit(() -> {
            long start = System.nanoTime();
            request.run();
            return Math.max(1, System.nanoTime() - start);
        });
        try {
            return answer.get(longest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            silent = true;
            throw late;
        } catch (ExecutionException failed) {
            throw thrown(failed.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new CancellationException("cancelled");
        }
    }

    private static IOException thrown(Throwable failed) {
        if (failed instanceof RuntimeException mistake) {
            throw mistake;
        }
        return failed instanceof IOException io ? io : new IOException(failed);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}

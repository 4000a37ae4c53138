package volsh.chunk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import volsh.fs.DamagedException;
import volsh.fs.FsException;

/** Flushes all windows of one file, in parallel. */
final class FlushAll {
    private final Windows windows;
    private final Flush flush;
    private final Executor executor;

    FlushAll(Windows windows, Flush flush, Executor executor) {
        this.windows = windows;
        this.flush = flush;
        this.executor = executor;
    }

    /**
     * Returns when every byte written before the call is in the store and in the metadata, including bytes whose flush
     * failed before.
     */
    void run() throws IOException {
        windows.reopenFailed();
        awaitAll(start());
    }

    /** Starts flushing everything; returns the futures of all windows that are being flushed. */
    List<CompletableFuture<@Nullable Void>> start() {
        var sealed = windows.sealAll();
        if (sealed.fresh().size() == 1 && sealed.all().size() == 1) {
            flush.run(sealed.fresh().getFirst());   // a single window: run it in this thread
        } else {
            sealed.fresh().forEach(this::submit);
        }
        return sealed.all();
    }

    /** Flushes a sealed window in the background. */
    void submit(Dirty dirty) {
        executor.execute(() -> flush.run(dirty));
    }

    /** Commits these bytes as the new end of the file. */
    void append(ByteBuffer source) throws IOException {
        flush.append(source);
    }

    private static void awaitAll(List<CompletableFuture<@Nullable Void>> waiting) throws IOException {
        IOException first = null;
        for (var flushed : waiting) {
            try {
                await(flushed);
            } catch (IOException failure) {
                first = first == null ? failure : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * A new exception for each waiting caller: a failure reported by a write and by a close must not be the same
     * object.
     */
    private static IOException again(@Nullable Throwable failure) {
        return switch (failure) {
            case FsException refusal -> new FsException(refusal.error(), refusal.getMessage(), refusal);
            case DamagedException damaged -> {
                var again = new DamagedException(damaged.getMessage(), damaged);
                damaged.volume().ifPresent(again::isOf);
                yield again;
            }
            case null -> new IOException("data could not be written");
            default -> new IOException(failure.getMessage(), failure);
        };
    }

    static void await(CompletableFuture<@Nullable Void> flushed) throws IOException {
        try {
            flushed.get();
        } catch (ExecutionException failed) {
            throw again(failed.getCause());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while data was being written");
        }
    }
}

package volsh.imported;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import volsh.object.ObjectPage;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;

/** The pages of a listing: the next one is requested while one is worked on. At most two are in memory. */
final class ListedPages implements AutoCloseable {
    private final ObjectStore bucket;
    private final ObjectQuery query;
    private @Nullable FutureTask<ObjectPage> coming;

    ListedPages(ObjectStore bucket, ObjectQuery query) {
        this.bucket = bucket;
        this.query = query;
        this.coming = request(query);
    }

    private FutureTask<ObjectPage> request(ObjectQuery next) {
        var task = new FutureTask<>(() -> bucket.list(next));
        Thread.ofVirtual().name("import-list").start(task);
        return task;
    }

    /** The next page; empty after the last. */
    Optional<ObjectPage> next() throws IOException {
        if (coming == null) {
            return Optional.empty();
        }
        try {
            var page = coming.get();
            coming = page.next().map(last -> request(query.following(last))).orElse(null);
            return Optional.of(page);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException reason ? reason : new IOException(failed.getCause());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while listing");
        }
    }

    @Override
    public void close() {
        if (coming != null) {
            coming.cancel(true);
        }
    }
}

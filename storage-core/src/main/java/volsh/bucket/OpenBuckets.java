package volsh.bucket;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import volsh.block.RetryLoop;
import volsh.block.RetryPolicy;
import volsh.block.StoreUrl;
import volsh.block.s3.S3Objects;
import volsh.object.ObjectStore;

/** Opens the bucket of a store. */
public final class OpenBuckets {
    /** For people who wait: up to eight attempts within half a minute. */
    public static final RetryPolicy PATIENCE =
            new RetryPolicy(8, Duration.ofMillis(50), Duration.ofSeconds(5), Duration.ofSeconds(30));

    private OpenBuckets() {}

    /** Sends no request yet. @throws IllegalArgumentException if the store is no bucket */
    public static ObjectStore open(StoreUrl url) throws IOException {
        return open(url, PATIENCE);
    }

    public static ObjectStore open(StoreUrl url, RetryPolicy policy) throws IOException {
        if (url.scheme() == StoreUrl.Scheme.FILE) {
            return new DirectoryObjects(Path.of(url.path()));
        }
        if (url.scheme() != StoreUrl.Scheme.S3) {
            throw new IllegalArgumentException("%s is not a bucket".formatted(url));
        }
        return new RetryingObjects(S3Objects.open(url), new RetryLoop(policy));
    }
}

package volsh.cache.disk;

import java.io.IOException;

/**
 * The space of a cache directory: at most {@code quotaBytes}, and only while its file system keeps {@code floorBytes}
 * free.
 */
public record CacheSpace(long quotaBytes, long floorBytes, FreeSpace free) {
    /** The free bytes of a file system. */
    public interface FreeSpace {
        long bytes() throws IOException;
    }

    public CacheSpace {
        if (quotaBytes <= 0 || floorBytes < 0) {
            throw new IllegalArgumentException(
                    "not a cache quota: %d bytes, %d to be left free".formatted(quotaBytes, floorBytes));
        }
    }
}

package volsh.cache.disk;

import java.io.IOException;

/** What a cache directory may take: so many bytes, and only while its file system keeps so many free. */
public record CacheSpace(long quotaBytes, long floorBytes, FreeSpace free) {
    /** Bytes that a file system can still take. */
    public interface FreeSpace {
        long bytes() throws IOException;
    }

    public CacheSpace {
        if (quotaBytes <= 0 || floorBytes < 0) {
            throw new IllegalArgumentException("no room: quota %d, floor %d".formatted(quotaBytes, floorBytes));
        }
    }
}

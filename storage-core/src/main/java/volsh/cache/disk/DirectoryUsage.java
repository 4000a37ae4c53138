package volsh.cache.disk;

import java.nio.file.Path;

/**
 * What a cache directory has done since it was opened, in frames, and what it holds now. {@code kept} were written to it,
 * {@code skipped} were not for want of room, time or a working disk; {@code damaged} failed their checksums and were dropped;
 * {@code failures} are calls that the disk refused.
 */
public record DirectoryUsage(
        Path directory, boolean up, long hits, long misses, long kept, long skipped, long evictions, long damaged, long failures,
        long blocks, long bytes, long quotaBytes) {
    /** Which part of the frames asked for was here; 0 if none was asked for. */
    public double hitRatio() {
        return hits + misses == 0 ? 0 : (double) hits / (hits + misses);
    }
}

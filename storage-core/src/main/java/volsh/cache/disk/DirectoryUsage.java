package volsh.cache.disk;

import java.nio.file.Path;

/**
 * What a cache directory has done since it was opened, in frames, and what it holds now. {@code kept} were written,
 * {@code skipped} were not, for lack of space, time or a working disk; {@code damaged} failed their checksums and were
 * dropped; {@code failures} are failed calls of the disk.
 */
public record DirectoryUsage(
        Path directory, boolean up, long hits, long misses, long kept, long skipped, long evictions, long damaged,
        long failures, long blocks, long bytes, long quotaBytes) {
    /** The part of the frames asked for that were hits; 0 if none was asked for. */
    public double hitRatio() {
        return hits + misses == 0 ? 0 : (double) hits / (hits + misses);
    }
}

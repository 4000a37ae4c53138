package volsh.cache;

/**
 * What a cache has done so far and holds now. A hit is a frame that was in the cache before the pass that reads it; a
 * miss had to be loaded for that pass, by the reader, by another thread it waited for, or ahead of it. {@code bytes} is
 * memory in use, {@code leases} are those not closed yet.
 *
 * @param prefetched frames loaded ahead of readers
 * @param ahead      misses that were loaded ahead in time, so that the reader did not wait
 * @param passed     frames forgotten because their sequential reader had passed them
 */
public record CacheUsage(long hits, long misses, long prefetched, long evictions, long bytes, long budget, long leases,
        long ahead, long passed) {
    public static final CacheUsage NONE = new CacheUsage(0, 0, 0, 0, 0, 0, 0);

    /** For a cache without readahead. */
    public CacheUsage(long hits, long misses, long prefetched, long evictions, long bytes, long budget, long leases) {
        this(hits, misses, prefetched, evictions, bytes, budget, leases, 0, 0);
    }

    /** The part of the frames asked for that were hits; 0 if none was asked for. */
    public double hitRatio() {
        long lookups = hits + misses;
        return lookups == 0 ? 0 : (double) hits / lookups;
    }
}

package volsh.cache;

/**
 * What a cache has done so far and holds now. A hit is a frame that was here before the pass that asks for it; a miss is one that had to be
 * loaded for it, by the reader, by another one for whom he waited, or ahead of him. {@code bytes} is memory in use, {@code leases} are those not closed yet.
 *
 * @param prefetched frames loaded before anybody asked for them
 * @param ahead      of the misses, those that were loaded ahead of the reader in time: he did not wait
 */
public record CacheUsage(long hits, long misses, long prefetched, long evictions, long bytes, long budget, long leases, long ahead) {
    public static final CacheUsage NONE = new CacheUsage(0, 0, 0, 0, 0, 0, 0);

    /** Of a cache that nobody read ahead with. */
    public CacheUsage(long hits, long misses, long prefetched, long evictions, long bytes, long budget, long leases) {
        this(hits, misses, prefetched, evictions, bytes, budget, leases, 0);
    }

    /** Which part of the frames asked for was a hit; 0 if none was asked for. */
    public double hitRatio() {
        long lookups = hits + misses;
        return lookups == 0 ? 0 : (double) hits / lookups;
    }
}

package volsh.cache;

/**
 * What a cache has done so far and holds now. {@code bytes} is memory in use, {@code leases} are those not closed yet,
 * {@code prefetched} counts frames loaded before anybody asked for them.
 */
public record Usage(long hits, long misses, long prefetched, long evictions, long bytes, long budget, long leases) {
    public static final Usage NONE = new Usage(0, 0, 0, 0, 0, 0, 0);

    /** Which part of the frames asked for was here; 0 if none was asked for. */
    public double hitRatio() {
        long lookups = hits + misses;
        return lookups == 0 ? 0 : (double) hits / lookups;
    }
}

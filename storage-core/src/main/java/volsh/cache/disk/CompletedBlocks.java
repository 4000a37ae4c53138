package volsh.cache.disk;

/** Blocks that were fetched as a whole because small reads had missed in them, and the bytes fetched. */
public record CompletedBlocks(long blocks, long bytes) {
    public static final CompletedBlocks NOTHING = new CompletedBlocks(0, 0);
}

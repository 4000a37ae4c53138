package volsh.cache.disk;

/** Blocks whose rest was fetched because small reads had missed in them before, and the bytes that came for them. */
public record CompletedBlocks(long blocks, long bytes) {
    public static final CompletedBlocks NOTHING = new CompletedBlocks(0, 0);
}

package volsh.cache;

/** Blocks whose rest was fetched because small reads had missed in them before, and the bytes that came for them. */
public record Completed(long blocks, long bytes) {
    public static final Completed NOTHING = new Completed(0, 0);
}

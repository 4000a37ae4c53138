package volsh.cache;

/**
 * Names a frame of a block. Blocks never change and their ids are never reused, so a cached frame never becomes stale.
 */
public record FrameKey(long block, int frame) {
    /** A hash in which all bits depend on all of the key. */
    public long mixed() {
        long mixed = block * 0x9e3779b97f4a7c15L + frame;
        mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
        return mixed ^ mixed >>> 32;
    }

    @Override
    public int hashCode() {
        return (int) mixed();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FrameKey(long otherBlock, int otherFrame) && block == otherBlock && frame == otherFrame;
    }
}

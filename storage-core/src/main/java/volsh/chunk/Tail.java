package volsh.chunk;

import volsh.fs.Extent;

/**
 * The bytes right before those of a flush: the part {@code [start, start + length)} of {@code extent}, which the block
 * of the flush includes.
 */
record Tail(Extent extent, long start, long length) {
    /** Its start within the window. */
    int from(Dirty dirty) {
        return (int) (start - dirty.start);
    }

    /** Its extent in a block that begins with it. */
    Extent movedTo(long block) {
        return new Extent(start, length, block, 0);
    }
}

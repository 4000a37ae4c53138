package volsh.chunk;

import volsh.fs.Extent;

/** Bytes right before those of a flush: the part {@code [start, start + length)} of {@code extent}, which the flush's block takes over. */
record Tail(Extent extent, long start, long length) {
    /** Where it begins in the window. */
    int from(Dirty dirty) {
        return (int) (start - dirty.start);
    }

    /** Where its bytes are in a block that begins with them. */
    Extent movedTo(long block) {
        return new Extent(start, length, block, 0);
    }
}

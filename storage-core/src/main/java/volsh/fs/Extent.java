package volsh.fs;

/**
 * A run of bytes of a file: {@code [start, start + length)} is at {@code offset} of the raw bytes of {@code block}. The
 * extents of one file never overlap; gaps read as zeros.
 */
public record Extent(long start, long length, long block, long offset) {
    public Extent {
        if (start < 0 || length <= 0 || offset < 0 || start + length < 0) {
            throw new IllegalArgumentException("impossible extent: start %d length %d offset %d"
                    .formatted(start, length, offset));
        }
    }

    /** The first byte after the extent. */
    public long end() {
        return start + length;
    }

    /** The part of this extent within {@code [from, to)}; the two must meet. */
    public Extent clip(long from, long to) {
        long first = Math.max(start, from);
        return new Extent(first, Math.min(end(), to) - first, block, offset + first - start);
    }

    /** Whether the other one follows it, in the file and in the same block. */
    public boolean isContinuedBy(Extent next) {
        return next.start() == end() && next.block() == block && next.offset() == offset + length;
    }

    /** This extent joined with the one that continues it. */
    public Extent and(Extent next) {
        return new Extent(start, length + next.length(), block, offset);
    }
}

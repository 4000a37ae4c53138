package volsh.vfs;

/**
 * What packing small files found and did, or would do.
 *
 * @param files     small files in blocks
 * @param blocks    the blocks they were in
 * @param packed    files that moved
 * @param gone      blocks that no file uses any more
 * @param made      blocks that were stored
 * @param bytes     bytes of the files that moved
 * @param keptBytes of these, bytes that snapshots keep in the old blocks as well
 * @param shared    files that stay as they are because other files share their small blocks
 * @param damaged   files that cannot be read
 */
public record PackingReport(long files, long blocks, long packed, long gone, long made, long bytes, long keptBytes,
        long shared, long damaged) {
    public static final PackingReport NOTHING = new PackingReport(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** The blocks that the files are in afterwards. */
    public long blocksAfter() {
        return blocks - gone + made;
    }

    PackingReport plusSeen(long moreFiles, long moreBlocks) {
        return new PackingReport(files + moreFiles, blocks + moreBlocks, packed, gone, made, bytes, keptBytes, shared,
                damaged);
    }

    PackingReport plusPacked(long moved, long old, long moreBytes, long kept) {
        return new PackingReport(files, blocks, packed + moved, gone + old, made + 1, bytes + moreBytes,
                keptBytes + kept, shared, damaged);
    }

    PackingReport withLeft(long sharing, long unreadable) {
        return new PackingReport(files, blocks, packed, gone, made, bytes, keptBytes, sharing, unreadable);
    }
}

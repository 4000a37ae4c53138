package volsh.vfs;

/**
 * What packing small files found and did, or would do.
 *
 * @param files     small files in blocks, or gathered in the metadata
 * @param before    the blocks they were in
 * @param after     the blocks they are in
 * @param packed    files that moved
 * @param made      blocks that were stored for them
 * @param bytes     bytes of the files that moved
 * @param keptBytes of these, bytes that snapshots keep in the old blocks as well
 * @param shared    files that stay as they are because other files share their small blocks
 * @param damaged   files that cannot be read
 */
public record PackingReport(long files, Cost before, Cost after, long packed, long made, long bytes, long keptBytes,
        long shared, long damaged) {
    public static final PackingReport NOTHING =
            new PackingReport(0, new Cost(0, 0), new Cost(0, 0), 0, 0, 0, 0, 0, 0);

    /**
     * Blocks, and how many gets it takes to read the files in them one after the other from a cold cache.
     */
    public record Cost(long blocks, long gets) {
        /** One file is one get. Of several, the second to miss has the rest fetched with one more. */
        private static final int GETS_MAX = 3;

        static Cost of(long files) {
            return new Cost(1, Math.min(files, GETS_MAX));
        }

        Cost plus(Cost more) {
            return new Cost(blocks + more.blocks, gets + more.gets);
        }

        Cost minus(Cost less) {
            return new Cost(blocks - less.blocks, gets - less.gets);
        }
    }

    PackingReport plusFile() {
        return new PackingReport(files + 1, before, after, packed, made, bytes, keptBytes, shared, damaged);
    }

    PackingReport plusBlock(Cost block) {
        return new PackingReport(files, before.plus(block), after.plus(block), packed, made, bytes, keptBytes, shared,
                damaged);
    }

    PackingReport plusPacked(long moved, Cost gone, long moreBytes, long kept) {
        return new PackingReport(files, before, after.minus(gone).plus(Cost.of(moved)), packed + moved, made + 1,
                bytes + moreBytes, keptBytes + kept, shared, damaged);
    }

    /** Files that were in the metadata. */
    PackingReport plusGathered(long moved, long moreBytes) {
        return new PackingReport(files + moved, before, after.plus(Cost.of(moved)), packed + moved, made + 1,
                bytes + moreBytes, keptBytes, shared, damaged);
    }

    PackingReport withLeft(long sharing, long unreadable) {
        return new PackingReport(files, before, after, packed, made, bytes, keptBytes, sharing, unreadable);
    }
}

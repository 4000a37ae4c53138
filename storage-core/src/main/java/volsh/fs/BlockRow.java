package volsh.fs;

/**
 * The row of a stored block, written once with the first extent that names it. {@code index} is the
 * frame index in the codec's own encoding, so that a cold read needs a single ranged get; {@code owner} is the inode it
 * was written for, a hint for reports; {@code layout} numbers the placement it was written with (0 = one store).
 */
public record BlockRow(long id, long rawSize, long storedSize, int layout, long owner, byte[] index) {
    public BlockRow {
        if (rawSize <= 0 || storedSize <= 0) {
            throw new IllegalArgumentException("impossible block %d: raw %d stored %d"
                    .formatted(id, rawSize, storedSize));
        }
    }

    /** Bytes that it takes in the stores of the volume: none if it is imported. */
    public long ownBytes() {
        return ImportedBlock.is(id) ? 0 : storedSize;
    }
}

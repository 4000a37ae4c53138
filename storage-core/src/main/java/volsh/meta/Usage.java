package volsh.meta;

/** What a volume holds: bytes as files show them, inodes, and bytes as its blocks take in the store. */
public record Usage(long bytes, long inodes, long storedBytes) {
    static final Usage NONE = new Usage(0, 0, 0);

    Usage plus(Delta row) {
        return new Usage(bytes + row.sums()[0], inodes + row.sums()[1], storedBytes + row.sums()[2]);
    }
}

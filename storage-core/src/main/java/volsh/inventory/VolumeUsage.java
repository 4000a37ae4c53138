package volsh.inventory;

import volsh.engine.Delta;

/** What a volume holds: bytes as files show them, inodes, and bytes as its blocks take in the store. */
public record VolumeUsage(long bytes, long inodes, long storedBytes) {
    public static final VolumeUsage NONE = new VolumeUsage(0, 0, 0);

    /** A token of a path sees no counters of the volume. */
    public static final VolumeUsage UNKNOWN = new VolumeUsage(-1, -1, -1);

    public boolean isKnown() {
        return !equals(UNKNOWN);
    }

    public VolumeUsage plus(Delta row) {
        return new VolumeUsage(bytes + row.sums()[0], inodes + row.sums()[1], storedBytes + row.sums()[2]);
    }
}

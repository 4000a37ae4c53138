package volsh.inventory;

import volsh.engine.Delta;

/** The usage of a volume: bytes as files show them, inodes, and stored bytes of its blocks. */
public record VolumeUsage(long bytes, long inodes, long storedBytes) {
    public static final VolumeUsage NONE = new VolumeUsage(0, 0, 0);

    /** For a token of a path, which cannot see the counters of the volume. */
    public static final VolumeUsage UNKNOWN = new VolumeUsage(-1, -1, -1);

    public boolean isKnown() {
        return !equals(UNKNOWN);
    }

    public VolumeUsage plus(Delta row) {
        return new VolumeUsage(bytes + row.sums()[0], inodes + row.sums()[1], storedBytes + row.sums()[2]);
    }
}

package volsh.checkpoint;

/**
 * A difference between two checkpoints in one file, or in one tensor of a file.
 *
 * @param tensor  empty for the file itself
 * @param before  bytes in the first checkpoint, {@code after} in the second; -1 if it does not exist there
 * @param changed bytes that differ
 * @param largest the largest difference of a number; NaN if unknown
 */
public record CheckpointDifference(String path, String tensor, Kind kind, long before, long after, long changed,
        double largest) {
    /** The kind of difference. */
    public enum Kind { SAME, CHANGED, ADDED, REMOVED }
}

package volsh.checkpoint;

/**
 * What differs between two checkpoints in one file, or in one tensor of a file.
 *
 * @param tensor  empty for the file itself
 * @param before  bytes it has in the first, {@code after} in the second; -1 if it is not there
 * @param changed bytes that differ
 * @param largest by how much a number differs at most; NaN if that is not known
 */
public record CheckpointDifference(String path, String tensor, Kind kind, long before, long after, long changed, double largest) {
    /** What became of it. */
    public enum Kind { SAME, CHANGED, ADDED, REMOVED }
}

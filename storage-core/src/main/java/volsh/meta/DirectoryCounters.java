package volsh.meta;

import volsh.engine.Delta;

/**
 * What changes in a directory when entries are added or removed; {@code mtime} is 0 until then. Kept in counter rows,
 * so that creates never conflict.
 */
public record DirectoryCounters(long entries, long directories, long changes, long mtime) {
    static final DirectoryCounters NONE = new DirectoryCounters(0, 0, 0, 0);

    static DirectoryCounters parse(byte[] row) {
        var delta = Delta.parse(row);
        return new DirectoryCounters(delta.sums()[0], delta.sums()[1], delta.sums()[2], delta.maxima()[0]);
    }

    public Delta delta() {
        return new Delta(new long[] {entries, directories, changes}, new long[] {mtime});
    }

    DirectoryCounters plus(DirectoryCounters other) {
        return new DirectoryCounters(
                entries + other.entries, directories + other.directories, changes + other.changes,
                Math.max(mtime, other.mtime));
    }
}

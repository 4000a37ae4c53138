package volsh.upkeep;

import java.util.HashMap;
import java.util.Map;

/** What there is, counted from the rows themselves. */
final class Tally {
    private final Map<Long, long[]> projects = new HashMap<>();
    private long bytes;
    private long inodes;
    private long directories;
    private long extents;
    private long versions;
    private long blocks;
    private long storedBytes;
    private long read;

    /** A file or directory that has a name. */
    void linked(long size, boolean directory) {
        bytes += size;
        inodes++;
        directories += directory ? 1 : 0;
    }

    /** The same, of the project it belongs to. */
    void ofProject(int project, long size) {
        if (project != 0) {
            long[] counts = projects.computeIfAbsent(Integer.toUnsignedLong(project), id -> new long[2]);
            counts[0] += size;
            counts[1]++;
        }
    }

    /** Bytes and inodes of each project. */
    Map<Long, long[]> projects() {
        return projects;
    }

    void extent() {
        extents++;
    }

    void version() {
        versions++;
    }

    /** A block that is not dead. */
    void block(long stored) {
        blocks++;
        storedBytes += stored;
    }

    synchronized void read(long stored) {
        read += stored;
    }

    long bytes() {
        return bytes;
    }

    long inodes() {
        return inodes;
    }

    long directories() {
        return directories;
    }

    long extents() {
        return extents;
    }

    long versions() {
        return versions;
    }

    long blocks() {
        return blocks;
    }

    long storedBytes() {
        return storedBytes;
    }

    synchronized long bytesRead() {
        return read;
    }
}

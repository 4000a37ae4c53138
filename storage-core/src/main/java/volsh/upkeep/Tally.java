package volsh.upkeep;

/** What there is, counted from the rows themselves. */
final class Tally {
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

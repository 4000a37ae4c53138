package volsh.fs;

/**
 * The attributes of an inode, as in {@code stat}. Times are nanoseconds since the epoch; {@code mode} contains only the
 * twelve permission bits; {@code allocated} is the number of bytes the file holds, without holes; {@code version} grows
 * with every change of the content.
 */
public record Attributes(
        long ino,
        FileKind kind,
        int mode,
        int uid,
        int gid,
        int links,
        long size,
        long allocated,
        long atime,
        long mtime,
        long ctime,
        int device,
        long version) {

    /** {@code st_mode}: type and permission bits together. */
    public int statMode() {
        return kind.code() << 12 | mode;
    }

    public boolean isDirectory() {
        return kind == FileKind.DIRECTORY;
    }

    public boolean isRegular() {
        return kind == FileKind.REGULAR;
    }
}

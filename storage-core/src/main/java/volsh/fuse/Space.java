package volsh.fuse;

import java.io.IOException;

/** What {@code statfs} tells: bytes in all and free, files there are, and for how many more there is room. */
public record Space(long totalBytes, long freeBytes, long files, long filesFree) {
    /** As many files as one is told there is room for where nothing limits them: inode numbers never run out. */
    public static final long FILES_FREE = 1L << 32;

    public Space(long totalBytes, long freeBytes, long files) {
        this(totalBytes, freeBytes, files, FILES_FREE);
    }

    /** Where a mount asks. */
    public interface Source {
        Space space() throws IOException;

        /** As seen from this inode: a directory with a quota is like a file system of its own. */
        default Space space(long ino) throws IOException {
            return space();
        }
    }
}

package volsh.fuse;

import java.io.IOException;

/** What {@code statfs} tells: bytes in all and free, files there are. */
public record Space(long totalBytes, long freeBytes, long files) {
    /** As many files as one is told there is room for: inode numbers never run out. */
    public static final long FILES_FREE = 1L << 32;

    /** Where a mount asks. */
    public interface Source {
        Space space() throws IOException;
    }
}

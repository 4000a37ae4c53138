package volsh.fuse;

import java.io.IOException;

/** What {@code statfs} tells: bytes in all and free, files there are. */
public record Space(long totalBytes, long freeBytes, long files) {
    /** Where a mount asks. */
    public interface Source {
        Space space() throws IOException;
    }
}

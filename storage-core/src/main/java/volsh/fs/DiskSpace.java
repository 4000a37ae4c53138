package volsh.fs;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The space of a local disk. Holds the one rule by which the disk of a home counts as full: health checks and refused
 * writes must agree.
 *
 * @param available bytes that this user may still use
 * @param total bytes of the file system
 */
public record DiskSpace(long available, long total) {
    /** The last MiB, or the last sixteenth of a small disk, is reserved for operations that free space. */
    private static final long KEPT = 1 << 20;
    private static final int SHARE = 16;

    public static DiskSpace of(Path path) throws IOException {
        return of(Files.getFileStore(path));
    }

    public static DiskSpace of(FileStore disk) throws IOException {
        return new DiskSpace(disk.getUsableSpace(), disk.getTotalSpace());
    }

    /** How much is reserved for operations that free space. */
    public long kept() {
        return Math.min(KEPT, total / SHARE);
    }

    /** Whether only the reserve is left: then metadata no longer grows. */
    public boolean isFull() {
        return available < kept();
    }

    /** The space after using this many more bytes. */
    public DiskSpace minus(long bytes) {
        return new DiskSpace(available - bytes, total);
    }
}

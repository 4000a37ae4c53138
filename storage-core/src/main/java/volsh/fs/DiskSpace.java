package volsh.fs;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The space of a local disk. The one rule by which the disk of a home counts as full: who asks for health and who refuses to write must agree.
 *
 * @param available bytes that this user may still take
 * @param total bytes of the file system
 */
public record DiskSpace(long available, long total) {
    /** The last MiB, of small disks the last sixteenth, is kept for what frees space. */
    private static final long KEPT = 1 << 20;
    private static final int SHARE = 16;

    public static DiskSpace of(Path path) throws IOException {
        return of(Files.getFileStore(path));
    }

    public static DiskSpace of(FileStore disk) throws IOException {
        return new DiskSpace(disk.getUsableSpace(), disk.getTotalSpace());
    }

    /** How much is kept for what frees space. */
    public long kept() {
        return Math.min(KEPT, total / SHARE);
    }

    /** Whether no more is left than is kept: then metadata does not grow any more. */
    public boolean isFull() {
        return available < kept();
    }

    /** The same after so many bytes more. */
    public DiskSpace minus(long bytes) {
        return new DiskSpace(available - bytes, total);
    }
}

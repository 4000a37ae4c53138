package volsh.fuse;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How a volume is mounted. The timeouts say how long the kernel may answer from what it was told before; {@code root} is
 * the inode that becomes the top of the mount; {@code threads} are kept waiting for requests when there are few.
 */
public record MountOptions(
        Path mountPoint,
        String source,
        long root,
        boolean readOnly,
        boolean allowOther,
        boolean directIo,
        boolean writebackCache,
        Duration attributeTimeout,
        Duration entryTimeout,
        int threads) {
    private static final int THREADS = 4;

    public static MountOptions at(Path mountPoint, String source) {
        return new MountOptions(mountPoint, source, 1, false, true, false, false, Duration.ofSeconds(1), Duration.ofSeconds(1), THREADS);
    }
}

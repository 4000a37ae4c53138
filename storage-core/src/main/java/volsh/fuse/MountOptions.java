package volsh.fuse;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * How a volume is mounted. The timeouts say how long the kernel may use its cache; {@code root} is the inode at the top
 * of the mount; {@code threads} is the number kept waiting for requests when there are few.
 */
public record MountOptions(
        Path mountPoint,
        String source,
        long root,
        Set<MountFlag> flags,
        Appearance appearance,
        Duration attributeTimeout,
        Duration entryTimeout,
        int threads) {
    private static final int THREADS = 4;

    public MountOptions {
        flags = Set.copyOf(flags);
    }

    public static MountOptions at(Path mountPoint, String source) {
        return new MountOptions(
                mountPoint, source, 1, Set.of(MountFlag.ALLOW_OTHER), Appearance.REAL, Duration.ofSeconds(1),
                Duration.ofSeconds(1), THREADS);
    }

    public boolean has(MountFlag flag) {
        return flags.contains(flag);
    }

    public MountOptions with(MountFlag... more) {
        var all = EnumSet.noneOf(MountFlag.class);
        all.addAll(flags);
        all.addAll(List.of(more));
        return new MountOptions(mountPoint, source, root, all, appearance, attributeTimeout, entryTimeout, threads);
    }

    public MountOptions with(Appearance other) {
        return new MountOptions(mountPoint, source, root, flags, other, attributeTimeout, entryTimeout, threads);
    }

    public MountOptions withTimeout(Duration timeout) {
        return new MountOptions(mountPoint, source, root, flags, appearance, timeout, timeout, threads);
    }

    public MountOptions withRoot(long other) {
        return new MountOptions(mountPoint, source, other, flags, appearance, attributeTimeout, entryTimeout, threads);
    }
}

package volsh.fuse;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import volsh.fs.FsError;
import volsh.fs.FsException;

/** The location of a mount, and how to unmount it. Never touches another file system that was mounted there since. */
public final class MountPoint {
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Path path;
    private final MountTable.Line mounted;

    private MountPoint(Path path, MountTable.Line mounted) {
        this.path = path;
        this.mounted = mounted;
    }

    /** The current mount there. @throws IOException if nothing is mounted */
    public static MountPoint at(Path path) throws IOException {
        return new MountPoint(path, MountTable.at(path).orElseThrow(
                () -> new NoSuchFileException(path.toString(), null, "not a mount point")));
    }

    /** The kernel's device number of the file system. */
    public String device() {
        return mounted.device();
    }

    /** Unmounts, unless it is in use and not {@code lazy}. @throws FsException BUSY */
    public void unmount(boolean lazy) throws FsException {
        if (isOurs() && !takeAway(path, lazy) && !lazy && isOurs()) {
            throw new FsException(FsError.BUSY, "the mount is in use by running programs");
        }
    }

    /** Unmounts even if in use; changes made through shared memory mappings arrive before it is gone. */
    public void settle() {
        if (!isOurs() || takeAway(path, false)) {
            return;
        }
        try (var arena = Arena.ofConfined()) {
            var calls = new Native(arena);
            int root = calls.open(path.toString(), Native.O_CLOEXEC);
            if (root >= 0) {
                calls.syncfs(root);
                calls.close(root);
            }
        }
        detach();
    }

    /** Unmounts even if in use. */
    public void detach() {
        if (isOurs()) {
            takeAway(path, true);
        }
    }

    /** Unmounts whatever is mounted there, even if in use; false if nothing is. */
    public static boolean detach(Path path) {
        return takeAway(path, true);
    }

    private static boolean takeAway(Path path, boolean lazy) {
        try (var arena = Arena.ofConfined()) {
            int failed = new Native(arena).unmount(path.toString(), lazy ? Native.MNT_DETACH : 0);
            return failed == 0 || failed == -Errno.of(FsError.NOT_PERMITTED) && Fusermount.unmount(path, lazy);
        }
    }

    /**
     * Waits for the end of the connection, or of the mount as this process sees it: the kernel does not report the
     * latter while another mount name space has a copy.
     */
    public void await(CountDownLatch disconnected) throws InterruptedException {
        while (!disconnected.await(LOOK.toNanos(), TimeUnit.NANOSECONDS) && isListed()) {
            // check again
        }
    }

    private boolean isListed() {
        try {
            return MountTable.contains(mounted);
        } catch (IOException unknown) {
            return true;
        }
    }

    /** Whether the current mount there is still this one. */
    boolean isOurs() {
        try {
            return MountTable.at(path).filter(mounted::equals).isPresent();
        } catch (IOException gone) {
            return false;
        }
    }
}

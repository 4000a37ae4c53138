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

/** Where a mount is, and the ways to take it away. It never touches what somebody else has mounted there since. */
public final class MountPoint {
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Path path;
    private final MountTable.Line mounted;

    private MountPoint(Path path, MountTable.Line mounted) {
        this.path = path;
        this.mounted = mounted;
    }

    /** What is mounted there now. @throws IOException if nothing is */
    public static MountPoint at(Path path) throws IOException {
        return new MountPoint(path, MountTable.at(path).orElseThrow(
                () -> new NoSuchFileException(path.toString(), null, "nothing is mounted there")));
    }

    /** The number by which the kernel knows the file system. */
    public String device() {
        return mounted.device();
    }

    /** Takes the mount away, if nobody uses it or {@code lazy}. @throws FsException BUSY */
    public void unmount(boolean lazy) throws FsException {
        if (isOurs() && !takeAway(path, lazy) && !lazy && isOurs()) {
            throw new FsException(FsError.BUSY, "programs still use it");
        }
    }

    /** Takes it away, used or not; what programs changed through shared memory reaches us before it goes. */
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

    /** Takes it away, used or not. */
    public void detach() {
        if (isOurs()) {
            takeAway(path, true);
        }
    }

    /** Takes away whatever is mounted there, used or not; false if nothing is. */
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
     * Waits for the end: of the connection, or of the mount as this process sees it, of which the kernel does not tell while
     * another mount name space has a copy.
     */
    public void await(CountDownLatch disconnected) throws InterruptedException {
        while (!disconnected.await(LOOK.toNanos(), TimeUnit.NANOSECONDS) && isListed()) {
            // look again
        }
    }

    private boolean isListed() {
        try {
            return MountTable.contains(mounted);
        } catch (IOException unknown) {
            return true;
        }
    }

    /** Is what is mounted there still this? */
    boolean isOurs() {
        try {
            return MountTable.at(path).filter(mounted::equals).isPresent();
        } catch (IOException gone) {
            return false;
        }
    }
}

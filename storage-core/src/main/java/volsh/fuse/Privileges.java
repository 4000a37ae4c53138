package volsh.fuse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.vfs.Vfs;

/**
 * The privileges of a program file: set-id bits and file capabilities. They are cleared before a user without the right
 * to keep them changes the first byte, as on a local file system. Mapped memory is an exception there and here.
 *
 * <p>When bits were cleared, the caller makes the kernel drop the cached mode, which it would otherwise use until the
 * timeout.
 */
public final class Privileges {
    private static final byte[] CAPABILITY = "security.capability".getBytes(StandardCharsets.US_ASCII);
    private static final int SET_ID = 06000;
    private static final int REMEMBERED = 10_000;

    private final Vfs vfs;
    // the ctime at which a file had no capabilities
    private final Map<Long, Long> without = new ConcurrentHashMap<>();

    public Privileges(Vfs vfs) {
        this.vfs = vfs;
    }

    /** The kernel asks to clear the bits, for this thread, and handles capabilities itself; true if there were bits. */
    public boolean drop(long ino, int thread) throws IOException {
        return drop(vfs.metadata(ino), thread);
    }

    /** Like {@link #drop}, when bytes bypass the page cache: then the kernel leaves capabilities to us. */
    public boolean dropAll(long ino, int thread) throws IOException {
        var found = vfs.metadata(ino);
        dropCapabilities(ino, found.ctime());
        return drop(found, thread);
    }

    private boolean drop(Attributes found, int thread) throws IOException {
        return (found.mode() & SET_ID) != 0 && clear(found.ino(), Credentials.of(thread));
    }

    /** The kernel does not say whether a change by this thread clears the bits; true if they were cleared. */
    public boolean dropUnlessKept(long ino, int thread) throws IOException {
        if ((vfs.metadata(ino).mode() & SET_ID) == 0) {
            return false;
        }
        var asking = Credentials.of(thread);
        return !asking.keepsSetId() && clear(ino, asking);
    }

    private void dropCapabilities(long ino, long ctime) throws IOException {
        Long known = without.get(ino);
        if (known != null && known == ctime) {
            return;   // setting capabilities would have changed the ctime
        }
        try {
            vfs.removeExtendedAttribute(ino, CAPABILITY);
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_DATA) {
                throw refused;
            }
            if (without.size() >= REMEMBERED) {
                without.clear();
            }
            without.put(ino, ctime);
        }
    }

    private boolean clear(long ino, Credentials asking) throws IOException {
        return vfs.clearSetId(ino, group -> asking.keepsSetId() || asking.groups().contains(group));
    }
}

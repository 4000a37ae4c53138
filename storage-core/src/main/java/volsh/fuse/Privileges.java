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
 * What a program may do beyond its user: set-id bits and file capabilities. They go before the first byte changes that somebody writes who has no
 * right to keep them, as on a local file system. Mapped memory is an exception there and here.
 *
 * <p>Whoever is told that bits went makes the kernel forget the mode, which it would go on using for as long as it was told it may.
 */
public final class Privileges {
    private static final byte[] CAPABILITY = "security.capability".getBytes(StandardCharsets.US_ASCII);
    private static final int SET_ID = 06000;
    private static final int REMEMBERED = 10_000;

    private final Vfs vfs;
    private final Map<Long, Long> without = new ConcurrentHashMap<>();   // the ctime with which a file was found to have no capabilities

    public Privileges(Vfs vfs) {
        this.vfs = vfs;
    }

    /** The kernel says that the bits go, in a request of this thread, and looks after capabilities itself; true if there were bits. */
    public boolean drop(long ino, int thread) throws IOException {
        return drop(vfs.metadata(ino), thread);
    }

    /** The same when bytes go past the kernel's pages: then it leaves capabilities to us. */
    public boolean dropAll(long ino, int thread) throws IOException {
        var found = vfs.metadata(ino);
        dropCapabilities(ino, found.ctime());
        return drop(found, thread);
    }

    private boolean drop(Attributes found, int thread) throws IOException {
        return (found.mode() & SET_ID) != 0 && clear(found.ino(), Credentials.of(thread));
    }

    /** The kernel does not say whether bits go in a request of this thread that changes the file; true if they did. */
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
            return;   // setting them would have changed it
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

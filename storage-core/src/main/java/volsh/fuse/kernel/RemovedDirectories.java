package volsh.fuse.kernel;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.vfs.Vfs;

/**
 * Directories removed or replaced through this mount that a program may still have open or as its working directory:
 * they keep attributes until the kernel forgets them.
 */
final class RemovedDirectories {
    private final Vfs vfs;
    private final Map<Long, Attributes> removed = new ConcurrentHashMap<>();

    RemovedDirectories(Vfs vfs) {
        this.vfs = vfs;
    }

    void remove(long parent, Name name) throws IOException {
        var directory = vfs.lookup(parent, name);
        vfs.removeDirectory(parent, name);
        add(directory);
    }

    /** Records a removed directory with these attributes. */
    void add(Attributes directory) {
        removed.put(directory.ino(), withoutLinks(directory));
    }

    /** The last attributes of a directory that was removed here; null if it was not. The kernel lists nothing in it. */
    @Nullable Attributes last(long ino) {
        return removed.get(ino);
    }

    /** The attributes of a file, or its last ones if it was removed here. */
    Attributes attributes(long ino) throws IOException {
        try {
            return vfs.attributes(ino);
        } catch (FsException refused) {
            var last = removed.get(ino);
            if (refused.error() != FsError.NO_ENTRY || last == null) {
                throw refused;
            }
            return last;
        }
    }

    void forget(long ino) {
        removed.remove(ino);
    }

    private static Attributes withoutLinks(Attributes a) {
        return new Attributes(
                a.ino(), a.kind(), a.mode(), a.uid(), a.gid(), 0, a.size(), a.allocated(), a.atime(), a.mtime(),
                a.ctime(), a.device(), a.version());
    }
}

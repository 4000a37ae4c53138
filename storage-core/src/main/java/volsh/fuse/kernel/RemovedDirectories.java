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
 * Directories removed through this mount, or replaced by a rename, which somebody may still have open or be in: they have attributes until the
 * kernel forgets them.
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

    /** This directory was removed, with these attributes. */
    void add(Attributes directory) {
        removed.put(directory.ino(), withoutLinks(directory));
    }

    /** What a directory was that was removed here; null if it was not. The kernel lists nothing in it. */
    @Nullable Attributes last(long ino) {
        return removed.get(ino);
    }

    /** What the volume says of a file, or what it was when it was removed here. */
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

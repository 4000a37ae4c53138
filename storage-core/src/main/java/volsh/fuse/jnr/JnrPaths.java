package volsh.fuse.jnr;

import java.io.IOException;
import java.util.Arrays;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.vfs.Vfs;

/** Resolves paths, as libfuse names files, to inodes: one lookup for each name of the path, each time. */
final class JnrPaths {
    private final Vfs vfs;
    private final long root;

    JnrPaths(Vfs vfs, long root) {
        this.vfs = vfs;
        this.root = root;
    }

    /** A directory and a name in it. */
    record Place(long parent, Name name) {}

    /** The inode of the path at this address. */
    long inode(long path) throws IOException {
        byte[] text = NativeMemory.text(path);
        return inode(text, text.length);
    }

    /** The directory of the last name of the path. */
    Place place(long path) throws IOException {
        byte[] text = NativeMemory.text(path);
        int slash = text.length - 1;
        while (slash >= 0 && text[slash] != '/') {
            slash--;
        }
        if (slash < 0 || slash == text.length - 1) {
            throw new FsException(FsError.BUSY, "the root has no name");
        }
        return new Place(inode(text, slash), Name.of(Arrays.copyOfRange(text, slash + 1, text.length)));
    }

    private long inode(byte[] path, int length) throws IOException {
        long node = root;
        int at = 0;
        while (at < length) {
            int end = at;
            while (end < length && path[end] != '/') {
                end++;
            }
            if (end > at) {
                node = vfs.lookup(node, Name.of(Arrays.copyOfRange(path, at, end))).ino();
            }
            at = end + 1;
        }
        return node;
    }
}

package volsh.fuse.jnr;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.AttributeNames;
import volsh.vfs.Vfs;

/** The operations about extended attributes. */
final class ExtendedOperations {
    private static final int CREATE = 1;
    private static final int REPLACE = 2;

    private final Vfs vfs;
    private final JnrPaths walk;
    private final Caller caller;

    ExtendedOperations(Vfs vfs, JnrPaths walk, Caller caller) {
        this.vfs = vfs;
        this.walk = walk;
        this.caller = caller;
    }

    void set(long path, long name, long value, long size, int flags) throws IOException {
        vfs.setExtendedAttribute(
                walk.inode(path), checked(name), NativeMemory.bytes(value, size), (flags & REPLACE) == 0,
                (flags & CREATE) == 0);
    }

    int get(long path, long name, long value, long size) throws IOException {
        return answer(vfs.extendedAttribute(walk.inode(path), checked(name)), value, size);
    }

    int list(long path, long buffer, long size) throws IOException {
        var names = new ByteArrayOutputStream();
        for (byte[] name : vfs.extendedAttributeNames(walk.inode(path))) {
            if (AttributeNames.isListed(name, caller.owner(), false)) {
                names.write(name);
                names.write(0);
            }
        }
        return answer(names.toByteArray(), buffer, size);
    }

    void remove(long path, long name) throws IOException {
        vfs.removeExtendedAttribute(walk.inode(path), checked(name));
    }

    /** A buffer size of 0 asks only for the length. */
    private static int answer(byte[] found, long buffer, long size) throws FsException {
        if (size > 0 && found.length > size) {
            throw new FsException(FsError.RANGE);
        }
        if (size > 0) {
            NativeMemory.put(buffer, found);
        }
        return found.length;
    }

    private static byte[] checked(long name) throws FsException {
        return AttributeNames.require(NativeMemory.text(name), false);
    }
}

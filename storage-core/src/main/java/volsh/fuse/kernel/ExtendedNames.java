package volsh.fuse.kernel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import volsh.fs.AttributeChange;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.AttributeNames;
import volsh.fuse.kernel.FuseStructs.*;
import volsh.vfs.Vfs;

/** The requests about extended attributes. */
final class ExtendedNames {
    private static final int CREATE = 1;
    private static final int REPLACE = 2;

    private static final int KILL_SET_GROUP_ID = 1;
    private static final int SET_GROUP_ID = 02000;

    private final Vfs vfs;
    private final boolean withLists;

    /** {@code withLists}: with access control lists, for which the kernel sends longer requests. */
    ExtendedNames(Vfs vfs, boolean withLists) {
        this.vfs = vfs;
        this.withLists = withLists;
    }

    void set(Request in, long node) throws IOException {
        int head = withLists ? SetxattrIn.BYTES : SetxattrIn.COMPAT_BYTES;
        byte[] name = AttributeNames.require(in.text(head), withLists);
        byte[] value = in.bytes(head + name.length + 1, in.get(SetxattrIn.SIZE));
        int flags = in.get(SetxattrIn.FLAGS);
        if (withLists && (in.get(SetxattrIn.SETXATTR_FLAGS) & KILL_SET_GROUP_ID) != 0) {
            dropSetGroupId(node);
        }
        vfs.setExtendedAttribute(node, name, value, (flags & REPLACE) == 0, (flags & CREATE) == 0);
    }

    private void dropSetGroupId(long node) throws IOException {
        int mode = vfs.attributes(node).mode();
        if ((mode & SET_GROUP_ID) != 0) {
            vfs.change(node, AttributeChange.NONE.withMode(mode & ~SET_GROUP_ID));
        }
    }

    void get(Request in, Reply reply, long node) throws IOException {
        answer(in, reply, vfs.extendedAttribute(node, AttributeNames.require(in.text(GetxattrIn.BYTES), withLists)));
    }

    void list(Request in, Reply reply, long node) throws IOException {
        var names = new ByteArrayOutputStream();
        for (byte[] name : vfs.extendedAttributeNames(node)) {
            if (AttributeNames.isListed(name, in.owner(), withLists)) {
                names.write(name);
                names.write(0);
            }
        }
        answer(in, reply, names.toByteArray());
    }

    void remove(Request in, long node) throws IOException {
        vfs.removeExtendedAttribute(node, AttributeNames.require(in.text(), withLists));
    }

    /** A buffer size of 0 asks only for the length. */
    private static void answer(Request in, Reply reply, byte[] value) throws FsException {
        int room = in.get(GetxattrIn.SIZE);
        if (room == 0) {
            reply.add(GetxattrOut.BYTES).set(GetxattrOut.SIZE, value.length);
        } else if (value.length > room) {
            throw new FsException(FsError.RANGE);
        } else {
            reply.bytes(value);
        }
    }
}

package volsh.fuse.kernel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.AttributeNames;
import volsh.fuse.kernel.FuseStructs.*;
import volsh.vfs.Vfs;

/** The requests about extended attributes. */
final class ExtendedNames {
    private static final int CREATE = 1;
    private static final int REPLACE = 2;

    private final Vfs vfs;

    ExtendedNames(Vfs vfs) {
        this.vfs = vfs;
    }

    void set(Request in, long node) throws IOException {
        byte[] name = AttributeNames.require(in.text(SetxattrIn.COMPAT_BYTES));
        byte[] value = in.bytes(SetxattrIn.COMPAT_BYTES + name.length + 1, in.get(SetxattrIn.SIZE));
        int flags = in.get(SetxattrIn.FLAGS);
        vfs.setExtendedAttribute(node, name, value, (flags & REPLACE) == 0, (flags & CREATE) == 0);
    }

    void get(Request in, Reply reply, long node) throws IOException {
        answer(in, reply, vfs.extendedAttribute(node, AttributeNames.require(in.text(GetxattrIn.BYTES))));
    }

    void list(Request in, Reply reply, long node) throws IOException {
        var names = new ByteArrayOutputStream();
        for (byte[] name : vfs.extendedAttributeNames(node)) {
            if (AttributeNames.isListed(name, in.owner())) {
                names.write(name);
                names.write(0);
            }
        }
        answer(in, reply, names.toByteArray());
    }

    void remove(Request in, long node) throws IOException {
        vfs.removeExtendedAttribute(node, AttributeNames.require(in.text()));
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

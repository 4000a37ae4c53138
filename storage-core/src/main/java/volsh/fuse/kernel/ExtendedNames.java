package volsh.fuse.kernel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.vfs.Vfs;

/** The requests about extended attributes. Names of {@code system.} are refused: ACLs would have to be honoured. */
final class ExtendedNames {
    private static final int CREATE = 1;
    private static final int REPLACE = 2;

    private final Vfs vfs;

    ExtendedNames(Vfs vfs) {
        this.vfs = vfs;
    }

    void set(Request in, long node) throws IOException {
        byte[] name = checked(in.text(8));
        byte[] value = in.bytes(8 + name.length + 1, in.int32(0));
        int flags = in.int32(4);
        vfs.setExtendedAttribute(node, name, value, (flags & REPLACE) == 0, (flags & CREATE) == 0);
    }

    void get(Request in, Reply reply, long node) throws IOException {
        answer(in, reply, vfs.extendedAttribute(node, checked(in.text(8))));
    }

    void list(Request in, Reply reply, long node) throws IOException {
        var names = new ByteArrayOutputStream();
        for (byte[] name : vfs.extendedAttributeNames(node)) {
            names.write(name);
            names.write(0);
        }
        answer(in, reply, names.toByteArray());
    }

    void remove(Request in, long node) throws IOException {
        vfs.removeExtendedAttribute(node, checked(in.text(0)));
    }

    /** With room for 0 bytes the question is only how many there are. */
    private static void answer(Request in, Reply reply, byte[] value) throws FsException {
        int room = in.int32(0);
        if (room == 0) {
            reply.int32(value.length).int32(0);
        } else if (value.length > room) {
            throw new FsException(FsError.RANGE);
        } else {
            reply.bytes(value);
        }
    }

    private static byte[] checked(byte[] name) throws FsException {
        if (new String(name, StandardCharsets.ISO_8859_1).startsWith("system.")) {
            throw new FsException(FsError.NOT_SUPPORTED);
        }
        return name;
    }
}

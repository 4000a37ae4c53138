package volsh.meta;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import volsh.engine.Keys;
import volsh.fs.FsError;
import volsh.fs.FsException;

/** Extended attributes of inodes: names of 1 to 255 bytes, values up to 64 KiB, at most 256 of them. */
public final class ExtendedAttributes {
    /** When a value may be set. */
    public enum Mode {
        ALWAYS,
        CREATE,
        REPLACE
    }

    private static final int NAME_MAX = 255;
    private static final int VALUE_MAX = 64 * 1024;
    private static final int COUNT_MAX = 256;

    private final Changes changes;

    ExtendedAttributes(Changes changes) {
        this.changes = changes;
    }

    /** @throws FsException NO_DATA if it is not set */
    public byte[] get(long ino, byte[] name) throws IOException {
        return changes.look(view -> {
            var value = view.content(Keys.attribute(ino, checked(name)));
            if (value == null) {
                view.node(ino);
                throw new FsException(FsError.NO_DATA);
            }
            return View.bytes(value);
        });
    }

    public List<byte[]> list(long ino) throws IOException {
        return changes.look(view -> {
            view.node(ino);
            var prefix = Keys.attributes(ino);
            var names = new ArrayList<byte[]>();
            for (var row : view.tx.scan(prefix, prefix.afterPrefix(), COUNT_MAX)) {
                names.add(Keys.name(row.key()));
            }
            return names;
        });
    }

    public void set(long ino, byte[] name, byte[] value, Mode mode) throws IOException {
        if (value.length > VALUE_MAX) {
            throw new FsException(FsError.RANGE, "extended attribute value too large: at most 64 KiB");
        }
        changes.change(edit -> {
            var node = edit.node(ino);
            var key = Keys.attribute(ino, checked(name));
            boolean exists = edit.content(key) != null;
            if (mode == Mode.CREATE && exists) {
                throw new FsException(FsError.EXISTS);
            }
            if (mode == Mode.REPLACE && !exists) {
                throw new FsException(FsError.NO_DATA);
            }
            var prefix = Keys.attributes(ino);
            if (!exists && edit.tx.scan(prefix, prefix.afterPrefix(), COUNT_MAX).size() >= COUNT_MAX) {
                throw new FsException(FsError.NO_SPACE,
                        "too many extended attributes: a file can have at most %d".formatted(COUNT_MAX));
            }
            edit.put(key, value);
            edit.putNode(ino, node.withCtime(edit.now));
            return null;
        });
    }

    /** @throws FsException NO_DATA if it is not set */
    public void remove(long ino, byte[] name) throws IOException {
        changes.remove(edit -> {
            var node = edit.node(ino);
            var key = Keys.attribute(ino, checked(name));
            if (edit.content(key) == null) {
                throw new FsException(FsError.NO_DATA);
            }
            edit.remove(key);
            edit.putNode(ino, node.withCtime(edit.now));
            return null;
        });
    }

    private static byte[] checked(byte[] name) throws FsException {
        if (name.length == 0 || name.length > NAME_MAX) {
            throw new FsException(FsError.RANGE, "invalid extended attribute name: it must have 1 to 255 bytes");
        }
        for (byte b : name) {
            if (b == 0) {   // NUL terminates names, here and in the keys of history
                throw new FsException(FsError.INVALID, "invalid extended attribute name: it contains NUL");
            }
        }
        return name;
    }
}

package volsh.meta;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaKey;
import volsh.fs.AccessList;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Umask;

/**
 * Extended attributes of inodes: names of 1 to 255 bytes, values up to 64 KiB, at most 256 of them. Access control
 * lists are among them, and keep the permissions of the inode in step.
 */
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
            if (isAccessList(name)) {
                node = new AccessLists(edit).set(ino, node, name, value);
            } else {
                edit.put(key, value);
            }
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
                if (isAccessList(name)) {
                    return null;   // as local file systems have it
                }
                throw new FsException(FsError.NO_DATA);
            }
            edit.remove(key);
            edit.putNode(ino, node.withCtime(edit.now));
            return null;
        });
    }

    private static boolean isAccessList(byte[] name) {
        return AccessList.isAccess(name) || AccessList.isDefault(name);
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

    /**
     * Access control lists of inodes, within one change. They are extended attributes; the permissions of an inode
     * always say what its list says of the owner, the mask and others, whichever of the two was set last.
     */
    static final class AccessLists {
        private final Edit edit;

        AccessLists(Edit edit) {
            this.edit = edit;
        }

        /** Where the list is that files made in this directory inherit. */
        static MetaKey inherited(long directory) {
            return Keys.attribute(directory, AccessList.defaultName());
        }

        private @Nullable AccessList find(MetaKey key) throws IOException {
            var content = edit.content(key);
            return content == null ? null : AccessList.of(View.bytes(content));
        }

        /** The permissions of a new inode, which inherits the list of its directory; the umask holds without one. */
        int inherit(long directory, long ino, FileKind kind, int asked) throws IOException {
            var list = kind == FileKind.SYMLINK ? null : find(inherited(directory));
            if (list == null) {
                return Umask.applied(asked);
            }
            int mode = Umask.ignored(asked);
            var own = list.masked(mode);
            if (!own.isMode()) {
                edit.putNew(Keys.attribute(ino, AccessList.accessName()), own.bytes());
            }
            if (kind == FileKind.DIRECTORY) {
                edit.putNew(inherited(ino), list.bytes());
            }
            return mode & ~0777 | own.mode();
        }

        /** Has the list of an inode, if it has one, say what its permissions are to be. */
        void follow(long ino, int mode) throws IOException {
            var key = Keys.attribute(ino, AccessList.accessName());
            var list = find(key);
            if (list != null && list.mode() != (mode & 0777)) {
                edit.put(key, list.withMode(mode).bytes());
            }
        }

        /** Sets a list; returns the inode with the permissions that follow from it. */
        NodeRow set(long ino, NodeRow node, byte[] name, byte[] value) throws IOException {
            var list = AccessList.of(value);
            if (node.kind() == FileKind.SYMLINK) {
                throw new FsException(FsError.NOT_SUPPORTED);
            }
            if (AccessList.isDefault(name)) {
                if (!node.isDirectory()) {
                    throw new FsException(FsError.ACCESS);
                }
                put(Keys.attribute(ino, name), list, list.isEmpty());
                return node;
            }
            put(Keys.attribute(ino, name), list, list.isMode());
            return list.isEmpty() ? node : node.withMode(node.mode() & ~0777 | list.mode());
        }

        private void put(MetaKey key, AccessList list, boolean isNone) throws IOException {
            if (!isNone) {
                edit.put(key, list.bytes());
            } else if (edit.content(key) != null) {
                edit.remove(key);
            }
        }
    }
}

package volsh.vfs;

import java.util.Arrays;
import java.util.TreeMap;
import volsh.fs.Attributes;
import volsh.fs.FileKind;

/** An inode of the {@link ReferencePosix}: as plain as it can be, so that it is right. */
final class ReferenceNode {
    final long ino;
    final FileKind kind;
    final int device;
    final TreeMap<String, ReferenceNode> entries = new TreeMap<>();
    final TreeMap<String, byte[]> extended = new TreeMap<>();
    ReferenceNode parent;
    byte[] bytes = {};
    String target = "";
    int mode;
    int uid;
    int gid;
    int names;
    long atime;
    long mtime;
    long ctime;

    ReferenceNode(long ino, FileKind kind, int device, ReferenceNode parent) {
        this.ino = ino;
        this.kind = kind;
        this.device = device;
        this.parent = parent == null ? this : parent;
    }

    boolean isDirectory() {
        return kind == FileKind.DIRECTORY;
    }

    /** Is this the other, or does it lie below it? */
    boolean isBelow(ReferenceNode other) {
        for (var at = this; ; at = at.parent) {
            if (at == other) {
                return true;
            }
            if (at == at.parent) {
                return false;
            }
        }
    }

    void touched(long now) {
        mtime = now;
        ctime = now;
    }

    void write(byte[] source, int offset) {
        if (bytes.length < offset + source.length) {
            bytes = Arrays.copyOf(bytes, offset + source.length);
        }
        System.arraycopy(source, 0, bytes, offset, source.length);
    }

    Attributes attributes() {
        int links = isDirectory() ? 2 + (int) entries.values().stream().filter(ReferenceNode::isDirectory).count()
                : names;
        long size = switch (kind) {
            case REGULAR -> bytes.length;
            case SYMLINK -> PathText.bytes(target).length;
            case DIRECTORY -> 4096;
            default -> 0;
        };
        return new Attributes(ino, kind, mode, uid, gid, links, size, 0, atime, mtime, ctime, device, 0);
    }
}

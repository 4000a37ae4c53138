package volsh.meta;

import java.nio.ByteBuffer;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaKey;
import volsh.fs.Attributes;
import volsh.fs.FileKind;

/**
 * The attributes of an inode as they are stored. {@code parent} is exact for directories and a hint for the rest;
 * {@code project} and {@code layout} are inherited from the directory (0 = the volume's).
 */
public record NodeRow(
        FileKind kind,
        Storage storage,
        int mode,
        int uid,
        int gid,
        int links,
        int device,
        int project,
        int layout,
        long parent,
        long size,
        long allocated,
        long atime,
        long mtime,
        long ctime,
        long version) {

    /** Where the bytes of a regular file are. */
    public enum Storage {
        /** The file has no bytes: it is empty or one hole. */
        NONE,
        /** In its inline row. */
        INLINE,
        /** In extents. */
        EXTENTS
    }

    /** Stored as the device number of an unlinked regular file: some of its bytes are already freed. */
    private static final int HALF_GONE = -1;

    private static final int FORMAT = 1;
    private static final Storage[] STORAGES = Storage.values();

    public byte[] toBytes() {
        return ByteBuffer.allocate(3 + 7 * 4 + 7 * 8)
                .put((byte) FORMAT)
                .put((byte) kind.code())
                .put((byte) storage.ordinal())
                .putInt(mode)
                .putInt(uid)
                .putInt(gid)
                .putInt(links)
                .putInt(device)
                .putInt(project)
                .putInt(layout)
                .putLong(parent)
                .putLong(size)
                .putLong(allocated)
                .putLong(atime)
                .putLong(mtime)
                .putLong(ctime)
                .putLong(version)
                .array();
    }

    public static NodeRow parse(ByteBuffer in) {
        int format = in.get();
        if (format != FORMAT) {
            throw new IllegalStateException("unsupported inode row format " + format + ": this volsh supports "
                    + FORMAT);
        }
        return new NodeRow(
                FileKind.of(in.get()), STORAGES[in.get()], in.getInt(), in.getInt(), in.getInt(), in.getInt(),
                in.getInt(), in.getInt(), in.getInt(), in.getLong(), in.getLong(), in.getLong(), in.getLong(),
                in.getLong(), in.getLong(), in.getLong());
    }

    /** Parses and checks the row of an inode. */
    public static NodeRow read(MetaKey key, byte[] row) throws MetaDamagedException {
        var node = View.parsed(key, row, NodeRow::parse);
        if (node.size < 0 || node.size > Files.SIZE_MAX || node.allocated < 0 || node.links < 0) {
            throw MetaDamagedException.of(key, "has impossible values: size %d, allocated %d, links %d"
                    .formatted(node.size, node.allocated, node.links), null);
        }
        return node;
    }

    public Attributes attributes(long ino) {
        return new Attributes(ino, kind, mode, uid, gid, links, size, allocated, atime, mtime, ctime, device, version);
    }

    /** Whether this is an unlinked file that is partly freed. */
    boolean isHalfGone() {
        return kind == FileKind.REGULAR && device == HALF_GONE;
    }

    NodeRow halfGone() {
        return new NodeRow(kind, storage, mode, uid, gid, links, kind == FileKind.REGULAR ? HALF_GONE : device, project,
                layout, parent, size, allocated, atime, mtime, ctime, version);
    }

    public boolean isDirectory() {
        return kind == FileKind.DIRECTORY;
    }

    public NodeRow withMode(int value) {
        return new NodeRow(kind, storage, value, uid, gid, links, device, project, layout, parent, size, allocated,
                atime, mtime, ctime, version);
    }

    NodeRow withOwner(int newUid, int newGid) {
        return new NodeRow(kind, storage, mode, newUid, newGid, links, device, project, layout, parent, size, allocated,
                atime, mtime, ctime, version);
    }

    public NodeRow withLinks(int value) {
        return new NodeRow(kind, storage, mode, uid, gid, value, device, project, layout, parent, size, allocated,
                atime, mtime, ctime, version);
    }

    public NodeRow withParent(long value) {
        return new NodeRow(kind, storage, mode, uid, gid, links, device, project, layout, value, size, allocated, atime,
                mtime, ctime, version);
    }

    NodeRow withProject(int value) {
        return new NodeRow(kind, storage, mode, uid, gid, links, device, value, layout, parent, size, allocated, atime,
                mtime, ctime, version);
    }

    NodeRow withLayout(int value) {
        return new NodeRow(kind, storage, mode, uid, gid, links, device, project, value, parent, size, allocated, atime,
                mtime, ctime, version);
    }

    public NodeRow withTimes(long newAtime, long newMtime, long newCtime) {
        return new NodeRow(kind, storage, mode, uid, gid, links, device, project, layout, parent, size, allocated,
                newAtime, newMtime, newCtime, version);
    }

    NodeRow withCtime(long now) {
        return withTimes(atime, mtime, now);
    }

    /** The row after its content changed: a new version. The times are the caller's. */
    public NodeRow changed(Storage newStorage, long newSize, long newAllocated) {
        return new NodeRow(kind, newStorage, mode, uid, gid, links, device, project, layout, parent, newSize,
                newAllocated, atime, mtime, ctime, version + 1);
    }
}

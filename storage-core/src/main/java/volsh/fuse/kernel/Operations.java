package volsh.fuse.kernel;

import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.RenameMode;
import volsh.fuse.Handles;
import volsh.fuse.MountOptions;
import volsh.fuse.Space;
import volsh.vfs.OpenDirectory;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/** Translates: takes a request apart, calls the vfs, puts the reply together. Offsets are those of the protocol's structures. */
final class Operations {
    private static final long FUSE_ROOT = 1;
    private static final int O_EXCL = 0200;
    private static final int O_TRUNC = 01000;
    private static final int OPEN_DIRECT_IO = 1;
    private static final int OPEN_KEEP_CACHE = 2;
    private static final int WRITE_KILL_SET_ID = 4;
    private static final int RENAME_NOREPLACE = 1;
    private static final int RENAME_EXCHANGE = 2;
    private static final int FALLOCATE_KEEP_SIZE = 1;
    private static final int FALLOCATE_PUNCH_HOLE = 2;
    private static final int FALLOCATE_ZERO_RANGE = 16;
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final int ENTRIES_PER_PAGE = 128;
    private static final int BLOCK = 4096;
    private static final byte[] DOT = {'.'};
    private static final byte[] DOT_DOT = {'.', '.'};

    private final Vfs vfs;
    private final MountOptions options;
    private final Space.Source space;
    private final InstantSource clock;
    private final Handles handles;
    private final PageCaches caches = new PageCaches();
    private final ExtendedNames extended;

    Operations(Vfs vfs, MountOptions options, Space.Source space, InstantSource clock, Handles handles) {
        this.vfs = vfs;
        this.options = options;
        this.space = space;
        this.clock = clock;
        this.handles = handles;
        this.extended = new ExtendedNames(vfs);
    }

    /** Answers one request into {@code reply}; false if the kernel expects no reply. */
    boolean answer(Request in, Reply reply) throws IOException {
        reply.clear();
        long node = inode(in.node());
        switch (in.opcode()) {
            case Opcode.READ -> read(in, reply);
            case Opcode.WRITE -> write(in, reply);
            case Opcode.LOOKUP -> reply.entry(lookup(node, in.name(0)), true);
            case Opcode.GETATTR -> reply.attributes(vfs.attributes(node));
            case Opcode.SETATTR -> reply.attributes(setAttributes(in, node));
            case Opcode.FORGET -> {
                caches.forget(node);
                return false;
            }
            case Opcode.BATCH_FORGET -> {
                batchForget(in);
                return false;
            }
            case Opcode.OPEN -> open(in, reply, node);
            case Opcode.CREATE -> create(in, reply, node);
            case Opcode.TMPFILE -> temporary(in, reply);
            case Opcode.FLUSH -> handles.file(in.int64(0)).flush();
            case Opcode.FSYNC -> handles.file(in.int64(0)).fsync();
            case Opcode.RELEASE -> release(in);
            case Opcode.OPENDIR -> reply.int64(handles.add(vfs.openDirectory(node))).int64(0);
            case Opcode.READDIR -> readDirectory(in, reply, node, false);
            case Opcode.READDIRPLUS -> readDirectory(in, reply, node, true);
            case Opcode.RELEASEDIR -> handles.closeDirectory(in.int64(0));
            case Opcode.FSYNCDIR -> vfs.syncNames();
            case Opcode.SYNCFS -> vfs.sync();
            case Opcode.READLINK -> reply.bytes(vfs.readSymlink(node));
            case Opcode.SYMLINK -> symlink(in, reply, node);
            case Opcode.MKNOD -> makeNode(in, reply, node);
            case Opcode.MKDIR -> reply.entry(vfs.makeDirectory(node, in.name(8), in.int32(0) & ~in.int32(4), in.owner()), true);
            case Opcode.UNLINK -> vfs.unlink(node, in.name(0));
            case Opcode.RMDIR -> vfs.removeDirectory(node, in.name(0));
            case Opcode.LINK -> reply.entry(vfs.link(inode(in.int64(0)), node, in.name(8)), true);
            case Opcode.RENAME -> rename(in, node, 8, 0);
            case Opcode.RENAME2 -> rename(in, node, 16, in.int32(8));
            case Opcode.STATFS -> statfs(reply);
            case Opcode.SETXATTR -> extended.set(in, node);
            case Opcode.GETXATTR -> extended.get(in, reply, node);
            case Opcode.LISTXATTR -> extended.list(in, reply, node);
            case Opcode.REMOVEXATTR -> extended.remove(in, node);
            case Opcode.FALLOCATE -> allocate(in);
            case Opcode.LSEEK -> seek(in, reply);
            case Opcode.COPY_FILE_RANGE -> copyRange(in, reply);
            case Opcode.DESTROY -> { }
            case Opcode.INTERRUPT -> {
                return false;
            }
            default -> throw new UnsupportedOperationException();
        }
        return true;
    }

    private long inode(long node) {
        return node == FUSE_ROOT ? options.root() : node;
    }

    private Attributes lookup(long directory, Name name) throws IOException {
        return vfs.lookup(directory, name);
    }

    private void batchForget(Request in) {
        int count = in.int32(0);
        for (int i = 0; i < count; i++) {
            caches.forget(in.int64(8 + 16 * i));
        }
    }

    // ---- files

    private void read(Request in, Reply reply) throws IOException {
        int size = Math.min(in.int32(16), Request.PAYLOAD_MAX);
        reply.filled(handles.file(in.int64(0)).read(in.int64(8), reply.room(size)));
    }

    private void write(Request in, Reply reply) throws IOException {
        var file = handles.file(in.int64(0));
        if ((in.int32(20) & WRITE_KILL_SET_ID) != 0) {
            vfs.clearSetId(file.ino());
        }
        reply.int32(file.write(in.int64(8), in.payload(40, in.int32(16)))).int32(0);
    }

    private void open(Request in, Reply reply, long node) throws IOException {
        var file = vfs.open(node);
        if ((in.int32(0) & O_TRUNC) != 0) {
            file.truncate(0);
        }
        opened(reply, file);
    }

    private void create(Request in, Reply reply, long parent) throws IOException {
        var name = in.name(16);
        OpenFile file;
        try {
            file = vfs.create(parent, name, in.int32(4) & ~in.int32(8), in.owner());
        } catch (FsException refused) {
            if (refused.error() != FsError.EXISTS || (in.int32(0) & O_EXCL) != 0) {
                throw refused;
            }
            file = vfs.open(vfs.lookup(parent, name).ino());   // somebody made it meanwhile
            if ((in.int32(0) & O_TRUNC) != 0) {
                file.truncate(0);
            }
        }
        reply.entry(file.attributes(), true);
        opened(reply, file);
    }

    private void temporary(Request in, Reply reply) throws IOException {
        var file = vfs.createUnnamed(in.int32(4) & ~in.int32(8), in.owner());
        reply.entry(file.attributes(), true);
        opened(reply, file);
    }

    private void opened(Reply reply, OpenFile file) throws IOException {
        int flags = options.directIo() ? OPEN_DIRECT_IO : caches.isCurrent(file.attributes()) ? OPEN_KEEP_CACHE : 0;
        reply.int64(handles.add(file)).int32(flags).int32(0);
    }

    private void release(Request in) throws IOException {
        var file = handles.file(in.int64(0));
        handles.closeFile(in.int64(0));
        caches.written(file);
    }

    private void allocate(Request in) throws IOException {
        var file = handles.file(in.int64(0));
        long offset = in.int64(8);
        long length = in.int64(16);
        boolean keepSize = (in.int32(24) & FALLOCATE_KEEP_SIZE) != 0;
        switch (in.int32(24) & ~FALLOCATE_KEEP_SIZE) {
            case 0 -> file.allocate(offset, length, keepSize);
            case FALLOCATE_PUNCH_HOLE -> file.zero(offset, length, true);
            case FALLOCATE_ZERO_RANGE -> file.zero(offset, length, keepSize);
            default -> throw new FsException(FsError.NOT_SUPPORTED);
        }
    }

    private void seek(Request in, Reply reply) throws IOException {
        var file = handles.file(in.int64(0));
        reply.int64(switch (in.int32(16)) {
            case SEEK_DATA -> file.seekData(in.int64(8));
            case SEEK_HOLE -> file.seekHole(in.int64(8));
            default -> throw new FsException(FsError.INVALID);
        });
    }

    private void copyRange(Request in, Reply reply) throws IOException {
        var source = handles.file(in.int64(0));
        var target = handles.file(in.int64(24));
        long length = Math.min(in.int64(40), Integer.MAX_VALUE & -BLOCK);
        reply.int32((int) source.copyTo(in.int64(8), target, in.int64(32), length)).int32(0);
    }

    // ---- attributes

    private static final int SET_MODE = 1;
    private static final int SET_UID = 1 << 1;
    private static final int SET_GID = 1 << 2;
    private static final int SET_SIZE = 1 << 3;
    private static final int SET_ATIME = 1 << 4;
    private static final int SET_MTIME = 1 << 5;
    private static final int SET_ATIME_NOW = 1 << 7;
    private static final int SET_MTIME_NOW = 1 << 8;
    private static final int SET_KILL_SET_ID = 1 << 11;

    private Attributes setAttributes(Request in, long node) throws IOException {
        int valid = in.int32(0);
        if ((valid & SET_KILL_SET_ID) != 0) {
            vfs.clearSetId(node);
        }
        if ((valid & SET_SIZE) != 0) {
            vfs.truncate(node, in.int64(16));
        }
        var change = change(in, valid);
        return change.equals(AttributeChange.NONE) ? vfs.attributes(node) : vfs.change(node, change);
    }

    private AttributeChange change(Request in, int valid) {
        var change = AttributeChange.NONE;
        if ((valid & SET_MODE) != 0) {
            change = change.withMode(in.int32(68));
        }
        if ((valid & SET_UID) != 0) {
            change = change.withUid(in.int32(76));
        }
        if ((valid & SET_GID) != 0) {
            change = change.withGid(in.int32(80));
        }
        if ((valid & SET_ATIME) != 0) {
            change = change.withAtime((valid & SET_ATIME_NOW) != 0 ? now() : in.int64(32) * 1_000_000_000L + in.int32(56));
        }
        if ((valid & SET_MTIME) != 0) {
            change = change.withMtime((valid & SET_MTIME_NOW) != 0 ? now() : in.int64(40) * 1_000_000_000L + in.int32(60));
        }
        return change;
    }

    private long now() {
        var moment = clock.instant();
        return moment.getEpochSecond() * 1_000_000_000L + moment.getNano();
    }

    private void statfs(Reply reply) throws IOException {
        var now = space.space();
        reply.int64(now.totalBytes() / BLOCK).int64(now.freeBytes() / BLOCK).int64(now.freeBytes() / BLOCK)
                .int64(now.files() + (1L << 32)).int64(1L << 32)
                .int32(BLOCK).int32(Name.LENGTH_MAX).int32(BLOCK).zeros(28);
    }

    // ---- names

    private void symlink(Request in, Reply reply, long parent) throws IOException {
        byte[] name = in.text(0);
        byte[] target = in.text(name.length + 1);
        reply.entry(vfs.makeSymlink(parent, Name.of(name), target, in.owner()), true);
    }

    private void makeNode(Request in, Reply reply, long parent) throws IOException {
        int mode = in.int32(0);
        int kind = mode >>> 12 & 0xf;
        reply.entry(vfs.makeNode(
                parent, in.name(16), kind == 0 ? FileKind.REGULAR : FileKind.of(kind), mode & 07777 & ~in.int32(8), in.owner(), in.int32(4)), true);
    }

    private void rename(Request in, long parent, int names, int flags) throws IOException {
        var mode = switch (flags) {
            case 0 -> RenameMode.REPLACE;
            case RENAME_NOREPLACE -> RenameMode.NO_REPLACE;
            case RENAME_EXCHANGE -> RenameMode.EXCHANGE;
            default -> throw new FsException(FsError.INVALID);
        };
        byte[] name = in.text(names);
        byte[] newName = in.text(names + name.length + 1);
        vfs.rename(parent, Name.of(name), inode(in.int64(0)), Name.of(newName), mode);
    }

    // ---- directories

    /** Cookie 1 is behind {@code .}, 2 behind {@code ..}; the entries follow. */
    private void readDirectory(Request in, Reply reply, long node, boolean plus) throws IOException {
        var directory = handles.directory(in.int64(0));
        int limit = Math.min(in.int32(16), Request.PAYLOAD_MAX);
        long cookie = in.int64(8);
        if (cookie == 0) {
            dot(reply, node, 1, DOT, plus, limit);
        }
        if (cookie <= 1) {
            dot(reply, node == options.root() ? node : vfs.parent(node), 2, DOT_DOT, plus, limit);
        }
        long at = Math.max(0, cookie - 2);
        while (true) {
            var page = directory.read(at, ENTRIES_PER_PAGE);
            if (page.isEmpty() || !addAll(reply, page, plus, limit)) {
                return;
            }
            at = page.getLast().cookie();
        }
    }

    private void dot(Reply reply, long ino, long cookie, byte[] name, boolean plus, int limit) throws IOException {
        if (plus) {
            reply.directoryEntryPlus(vfs.attributes(ino), false, cookie, name, limit);
        } else {
            reply.directoryEntry(ino, cookie, FileKind.DIRECTORY.code(), name, limit);
        }
    }

    private boolean addAll(Reply reply, List<OpenDirectory.Numbered> page, boolean plus, int limit) throws IOException {
        var known = plus ? attributes(page) : Map.<Long, Attributes>of();
        for (var numbered : page) {
            var entry = numbered.entry();
            var attributes = known.get(entry.ino());
            if (plus && attributes == null) {
                continue;   // removed since it was listed
            }
            boolean fits = plus
                    ? reply.directoryEntryPlus(attributes, true, numbered.cookie() + 2, entry.name().bytes(), limit)
                    : reply.directoryEntry(entry.ino(), numbered.cookie() + 2, entry.kind().code(), entry.name().bytes(), limit);
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    private Map<Long, Attributes> attributes(List<OpenDirectory.Numbered> page) throws IOException {
        List<DirectoryEntry> entries = page.stream().map(OpenDirectory.Numbered::entry).toList();
        var known = new HashMap<Long, Attributes>();
        for (var attributes : vfs.attributes(entries)) {
            known.put(attributes.ino(), attributes);
        }
        return known;
    }
}

package volsh.fuse.kernel;

import java.io.IOException;
import volsh.fs.AccessList;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;
import volsh.fuse.kernel.FuseStructs.*;
import volsh.vfs.Vfs;

/**
 * Gives root, or every user, only the rights of the anonymous user, as NFS servers do. The kernel lets root do
 * everything, and on a mount that squashes all users it checks nothing: what that user may do is checked here, request
 * by request. Names that the kernel has cached it walks without asking, and pipes it opens by itself.
 */
final class Squash {
    static final Owner ANONYMOUS = new Owner(65534, 65534);

    private static final int READ = 4;
    private static final int WRITE = 2;
    private static final int EXECUTE = 1;
    private static final int O_ACCMODE = 3;
    private static final int O_WRONLY = 1;
    private static final int O_TRUNC = 01000;
    private static final int FOR_EXECUTION = 0x20;
    private static final int EXCHANGE = 2;
    private static final int STICKY = 01000;
    private static final int SET_MODE = 1;
    private static final int SET_UID = 1 << 1;
    private static final int SET_GID = 1 << 2;
    private static final int SET_SIZE = 1 << 3;
    private static final int SET_ATIME = 1 << 4;
    private static final int SET_MTIME = 1 << 5;
    private static final int SET_HANDLE = 1 << 6;
    private static final int SET_ATIME_NOW = 1 << 7;
    private static final int SET_MTIME_NOW = 1 << 8;

    private final Vfs vfs;
    private final long root;
    private final boolean squashesRoot;
    private final boolean squashesAll;
    private final boolean withLists;

    Squash(Vfs vfs, MountOptions options) {
        this.vfs = vfs;
        this.root = options.root();
        this.squashesAll = options.has(MountFlag.ALL_SQUASH);
        this.squashesRoot = squashesAll || options.has(MountFlag.ROOT_SQUASH);
        this.withLists = options.has(MountFlag.ACCESS_LISTS);
    }

    /**
     * Has the request be one of the anonymous user, if its user is to be that.
     * @throws FsException ACCESS, NOT_PERMITTED
     */
    void apply(Request in, long node) throws IOException {
        if (!squashesRoot) {
            return;
        }
        in.actAs(null);
        if (squashesAll || in.owner().uid() == 0) {
            in.actAs(ANONYMOUS);
            require(in, node);
        }
    }

    private void require(Request in, long node) throws IOException {
        switch (in.opcode()) {
            case Opcode.LOOKUP -> require(node, EXECUTE);
            case Opcode.OPENDIR -> require(node, READ);
            case Opcode.OPEN -> requireOpen(node, in.get(OpenIn.FLAGS));
            case Opcode.ACCESS -> require(node, in.get(AccessIn.MASK));
            case Opcode.MKNOD -> {
                requireNames(node);
                requireNoDevice(in.get(MknodIn.MODE) >>> 12 & 0xf);
            }
            case Opcode.CREATE, Opcode.MKDIR, Opcode.SYMLINK, Opcode.TMPFILE -> requireNames(node);
            case Opcode.LINK -> {
                requireNames(node);
                requireLink(inode(in.get(LinkIn.OLDNODEID)));
            }
            case Opcode.UNLINK, Opcode.RMDIR -> requireRemoval(node, in.name());
            case Opcode.RENAME -> requireRename(in, node, RenameIn.BYTES, false);
            case Opcode.RENAME2 -> requireRename(in, node, Rename2In.BYTES,
                    (in.get(Rename2In.FLAGS) & EXCHANGE) != 0);
            case Opcode.SETATTR -> requireChange(in, vfs.attributes(node));
            case Opcode.SETXATTR -> requireExtended(node,
                    in.text(withLists ? SetxattrIn.BYTES : SetxattrIn.COMPAT_BYTES), WRITE);
            case Opcode.REMOVEXATTR -> requireExtended(node, in.text(), WRITE);
            case Opcode.GETXATTR -> requireExtended(node, in.text(GetxattrIn.BYTES), READ);
            default -> { }   // of open files, or open to all
        }
    }

    private long inode(long node) {
        return node == Operations.FUSE_ROOT ? root : node;
    }

    /** What the anonymous user may do with it, of reading, writing and executing. */
    private int allowed(Attributes file) throws IOException {
        if (file.uid() == ANONYMOUS.uid()) {
            return file.mode() >> 6 & 7;
        }
        if (withLists) {
            for (byte[] name : vfs.extendedAttributeNames(file.ino())) {
                if (AccessList.isAccess(name)) {
                    return AccessList.of(vfs.extendedAttribute(file.ino(), name)).allowed(ANONYMOUS, file.gid());
                }
            }
        }
        return file.gid() == ANONYMOUS.gid() ? file.mode() >> 3 & 7 : file.mode() & 7;
    }

    private void require(long node, int wanted) throws IOException {
        require(vfs.attributes(node), wanted);
    }

    private void require(Attributes file, int wanted) throws IOException {
        if ((allowed(file) & wanted) != wanted) {
            throw new FsException(FsError.ACCESS);
        }
    }

    private void requireNames(long directory) throws IOException {
        require(directory, WRITE | EXECUTE);
    }

    private void requireOpen(long node, int flags) throws IOException {
        int access = flags & O_ACCMODE;
        int wanted = (flags & FOR_EXECUTION) != 0 ? EXECUTE
                : (access == O_WRONLY ? 0 : READ) | (access == 0 && (flags & O_TRUNC) == 0 ? 0 : WRITE);
        require(node, wanted);
    }

    /** As with fs.protected_hardlinks: of files of others only those that may be read and written. */
    private void requireLink(long node) throws IOException {
        var file = vfs.attributes(node);
        if (!owns(file) && (allowed(file) & (READ | WRITE)) != (READ | WRITE)) {
            throw new FsException(FsError.NOT_PERMITTED);
        }
    }

    private static void requireNoDevice(int format) throws FsException {
        if (format == FileKind.CHARACTER_DEVICE.code() || format == FileKind.BLOCK_DEVICE.code()) {
            throw new FsException(FsError.NOT_PERMITTED);
        }
    }

    private static boolean owns(Attributes file) {
        return file.uid() == ANONYMOUS.uid();
    }

    private void requireRemoval(long directory, Name name) throws IOException {
        var parent = vfs.attributes(directory);
        require(parent, WRITE | EXECUTE);
        if ((parent.mode() & STICKY) != 0 && !owns(parent) && !owns(vfs.lookup(directory, name))) {
            throw new FsException(FsError.NOT_PERMITTED);
        }
    }

    private void requireRename(Request in, long parent, int names, boolean exchanges) throws IOException {
        byte[] name = in.text(names);
        var to = Name.of(in.text(names + name.length + 1));
        long target = inode(in.get(RenameIn.NEWDIR));
        requireRemoval(parent, Name.of(name));
        requireNames(target);
        try {
            var replaced = vfs.lookup(target, to);
            requireRemoval(target, to);
            if (exchanges) {
                requireMove(replaced, parent, target);
            }
        } catch (FsException none) {
            if (none.error() != FsError.NO_ENTRY) {
                throw none;
            }
        }
        requireMove(vfs.lookup(parent, Name.of(name)), parent, target);
    }

    /** A directory that gets another parent is written to. */
    private void requireMove(Attributes moved, long from, long to) throws IOException {
        if (from != to && moved.kind() == FileKind.DIRECTORY) {
            require(moved, WRITE);
        }
    }

    private void requireChange(Request in, Attributes file) throws IOException {
        int valid = in.get(SetattrIn.VALID);
        boolean setsTimes = (valid & SET_ATIME) != 0 && (valid & SET_ATIME_NOW) == 0
                || (valid & SET_MTIME) != 0 && (valid & SET_MTIME_NOW) == 0;
        boolean setsOwner = (valid & SET_UID) != 0 && in.get(SetattrIn.UID) != file.uid()
                || (valid & SET_GID) != 0 && in.get(SetattrIn.GID) != file.gid()
                        && in.get(SetattrIn.GID) != ANONYMOUS.gid();
        boolean setsGroupId = (valid & SET_MODE) != 0 && (in.get(SetattrIn.MODE) & 02000) != 0
                && file.gid() != ANONYMOUS.gid();
        boolean changes = (valid & (SET_MODE | SET_UID | SET_GID)) != 0 || setsTimes;
        if (setsOwner || setsGroupId || changes && !owns(file)) {
            throw new FsException(FsError.NOT_PERMITTED);
        }
        boolean touches = (valid & (SET_ATIME_NOW | SET_MTIME_NOW)) != 0 && !owns(file);
        if (touches || (valid & SET_SIZE) != 0 && (valid & SET_HANDLE) == 0) {
            require(file, WRITE);
        }
    }

    private void requireExtended(long node, byte[] name, int wanted) throws IOException {
        if (AccessList.isAccess(name) || AccessList.isDefault(name)) {
            if (wanted == WRITE && !owns(vfs.attributes(node))) {
                throw new FsException(FsError.NOT_PERMITTED);
            }
            return;
        }
        String text = new String(name, java.nio.charset.StandardCharsets.ISO_8859_1);
        if (text.startsWith("user.")) {
            var file = vfs.attributes(node);
            if (wanted == WRITE && file.isDirectory() && (file.mode() & STICKY) != 0 && !owns(file)) {
                throw new FsException(FsError.NOT_PERMITTED);
            }
            require(file, wanted);
        } else if (wanted == WRITE) {
            throw new FsException(FsError.NOT_PERMITTED);
        } else if (text.startsWith("trusted.")) {
            throw new FsException(FsError.NO_DATA);
        }
    }
}

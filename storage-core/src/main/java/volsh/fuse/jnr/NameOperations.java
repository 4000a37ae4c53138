package volsh.fuse.jnr;

import java.io.IOException;
import java.util.Arrays;
import java.util.OptionalLong;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.RenameMode;
import volsh.vfs.Vfs;

/** The operations about names. The kernel has applied the creation mask to the modes that come here. */
final class NameOperations {
    private final Vfs vfs;
    private final JnrPaths walk;
    private final Caller caller;
    private final OpenNodes nodes;

    NameOperations(Vfs vfs, JnrPaths walk, Caller caller, OpenNodes nodes) {
        this.vfs = vfs;
        this.walk = walk;
        this.caller = caller;
        this.nodes = nodes;
    }

    void makeNode(long path, int mode, long device) throws IOException {
        var place = walk.place(path);
        int kind = mode >>> 12 & 0xf;
        var made = kind == 0 ? FileKind.REGULAR : FileKind.of(kind);
        vfs.makeNode(place.parent(), place.name(), made, mode & 07777, caller.owner(), (int) device);
    }

    void makeDirectory(long path, int mode) throws IOException {
        var place = walk.place(path);
        vfs.makeDirectory(place.parent(), place.name(), mode & 07777, caller.owner());
    }

    void makeSymlink(long target, long path) throws IOException {
        var place = walk.place(path);
        vfs.makeSymlink(place.parent(), place.name(), NativeMemory.text(target), caller.owner());
    }

    /** A target that does not fit is truncated, as by {@code readlink(2)}; a NUL ends it. */
    void readSymlink(long path, long buffer, long size) throws IOException {
        byte[] target = vfs.readSymlink(walk.inode(path));
        NativeMemory.put(buffer, Arrays.copyOf(target, (int) Math.min(size, target.length + 1L)));
        NativeMemory.put(buffer + Math.min(size - 1, target.length), new byte[1]);
    }

    void unlink(long path) throws IOException {
        var place = walk.place(path);
        var inode = inodeOf(place);
        vfs.unlink(place.parent(), place.name());
        inode.ifPresent(this::lostName);
    }

    void removeDirectory(long path) throws IOException {
        var place = walk.place(path);
        vfs.removeDirectory(place.parent(), place.name());
    }

    void rename(long path, long newPath) throws IOException {
        var from = walk.place(path);
        var to = walk.place(newPath);
        var replaced = inodeOf(to);
        vfs.rename(from.parent(), from.name(), to.parent(), to.name(), RenameMode.REPLACE);
        replaced.ifPresent(this::lostName);
    }

    private OptionalLong inodeOf(JnrPaths.Place place) throws IOException {
        try {
            return OptionalLong.of(vfs.lookup(place.parent(), place.name()).ino());
        } catch (FsException none) {
            return OptionalLong.empty();
        }
    }

    private void lostName(long inode) {
        if (vfs.openFiles().contains(inode)) {
            nodes.lostName(inode);
        }
    }

    void link(long path, long newPath) throws IOException {
        var to = walk.place(newPath);
        vfs.link(walk.inode(path), to.parent(), to.name());
    }
}

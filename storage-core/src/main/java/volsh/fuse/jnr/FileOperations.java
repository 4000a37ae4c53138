package volsh.fuse.jnr;

import java.io.IOException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.Handles;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;
import volsh.fuse.Privileges;
import volsh.fuse.Space;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/** The operations about the bytes of files. */
final class FileOperations {
    private static final int O_EXCL = 0200;
    private static final int O_TRUNC = 01000;
    private static final int FALLOCATE_KEEP_SIZE = 1;
    private static final int FALLOCATE_PUNCH_HOLE = 2;
    private static final int FALLOCATE_ZERO_RANGE = 16;

    private final Vfs vfs;
    private final JnrPaths walk;
    private final MountOptions options;
    private final Space.Source space;
    private final Handles handles;
    private final OpenNodes nodes;
    private final Caller caller;
    private final Privileges privileges;

    FileOperations(Vfs vfs, JnrPaths walk, MountOptions options, Space.Source space, Handles handles, OpenNodes nodes,
            Caller caller) {
        this.space = space;
        this.vfs = vfs;
        this.walk = walk;
        this.options = options;
        this.handles = handles;
        this.nodes = nodes;
        this.caller = caller;
        this.privileges = new Privileges(vfs);
    }

    void open(long path, FileInfo info) throws IOException {
        var file = vfs.open(walk.inode(path));
        long node = JnrRequest.current().node();
        if (nodes.isOther(node, file.ino())) {
            info.directIo();   // the kernel's pages are of the other file
        }
        opened(file, info);
        nodes.opened(node, info.handle(), file.ino());
    }

    void create(long path, int mode, FileInfo info) throws IOException {
        var place = walk.place(path);
        OpenFile file;
        try {
            file = vfs.create(place.parent(), place.name(), mode & 07777, caller.owner());
        } catch (FsException refused) {
            if (refused.error() != FsError.EXISTS || (info.flags() & O_EXCL) != 0) {
                throw refused;
            }
            file = emptied(vfs.open(walk.inode(path)), info);   // it was created meanwhile
        }
        opened(file, info);
    }

    private static OpenFile emptied(OpenFile file, FileInfo info) throws IOException {
        try {
            if ((info.flags() & O_TRUNC) != 0) {
                file.truncate(0);
            }
            return file;
        } catch (IOException | RuntimeException failed) {
            file.close();
            throw failed;
        }
    }

    /** The kernel caches pages by name: those of a file with several names would not see writes under another. */
    private void opened(OpenFile file, FileInfo info) {
        if (options.has(MountFlag.DIRECT_IO) || file.found().links() > 1) {
            info.directIo();
        }
        info.handle(handles.addFile(file));
    }

    int read(FileInfo info, long buffer, long size, long offset) throws IOException {
        return handles.file(info.handle()).read(offset, NativeMemory.buffer(buffer, size));
    }

    int write(FileInfo info, long buffer, long size, long offset) throws IOException {
        var file = handles.file(info.handle());
        var request = JnrRequest.current();
        // the kernel sets this for bytes that bypass its pages, and otherwise handles it itself
        if (request.dropsPrivileges()) {
            privileges.dropAll(file.ino(), request.thread());
        }
        return file.write(offset, NativeMemory.buffer(buffer, size));
    }

    void attributes(FileInfo info, long stat) throws IOException {
        long open = JnrRequest.current().inode();
        var found = vfs.attributes(open != 0 ? open : handles.file(info.handle()).ino());
        AttributeOperations.show(options.appearance().of(found), stat);
    }

    void truncate(FileInfo info, long size) throws IOException {
        handles.file(info.handle()).truncate(size);
    }

    void flush(FileInfo info) throws IOException {
        handles.file(info.handle()).flush();
    }

    void sync(FileInfo info) throws IOException {
        handles.file(info.handle()).fsync();
    }

    void release(FileInfo info) throws IOException {
        long inode = handles.file(info.handle()).ino();
        nodes.released(info.handle());
        try {
            handles.close(info.handle());
        } finally {
            if (!vfs.openFiles().contains(inode)) {
                nodes.closed(inode);
            }
        }
    }

    void allocate(FileInfo info, int mode, long offset, long length) throws IOException {
        var file = handles.file(info.handle());
        privileges.dropUnlessKept(file.ino(), JnrRequest.current().thread());
        boolean keepSize = (mode & FALLOCATE_KEEP_SIZE) != 0;
        switch (mode & ~FALLOCATE_KEEP_SIZE) {
            case 0 -> {
                space.requireRoom(file, length);
                file.allocate(offset, length, keepSize);
            }
            case FALLOCATE_PUNCH_HOLE -> file.zero(offset, length, true);
            case FALLOCATE_ZERO_RANGE -> file.zero(offset, length, keepSize);
            default -> throw new FsException(FsError.NOT_SUPPORTED);
        }
    }
}

package volsh.fuse.jnr;

import static volsh.fuse.jnr.Operation.*;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import jnr.ffi.Runtime;
import jnr.ffi.Struct;
import jnr.ffi.provider.ParameterFlags;
import ru.serce.jnrfuse.struct.FuseOperations;
import volsh.fuse.FailedPaths;
import volsh.fuse.Handles;
import volsh.fuse.MountOptions;
import volsh.fuse.Space;
import volsh.vfs.Vfs;

/**
 * {@code struct fuse_operations}: the callbacks of libfuse. It has the layout of jnr-fuse and our own callbacks, since
 * those of jnr-fuse treat paths as text. Operations missing here are handled by libfuse and the kernel: {@code lock}
 * and {@code flock} by the kernel, and so is {@code access} ({@code default_permissions}).
 */
final class OperationTable extends FuseOperations {
    /** Paths may be missing: operations on open files go by handle, also after the file is unlinked. */
    private static final int NULL_PATH_OK = 1;
    private static final int NO_PATH = 2;
    private static final int UTIME_OMIT_OK = 4;

    private final jnr.ffi.Pointer memory = Struct.getMemory(this, ParameterFlags.DIRECT);
    private final List<Object> callbacks = new ArrayList<>();   // as long as libfuse may call them
    private final Answers answers;
    private final Handles handles;
    private final FailedPaths failedPaths;

    OperationTable(
            Answers answers, Vfs vfs, MountOptions options, Space.Source space, InstantSource clock, Handles handles,
            OpenNodes nodes, LibFuse library) {
        super(Runtime.getSystemRuntime());
        this.answers = answers;
        this.handles = handles;
        this.failedPaths = new FailedPaths(vfs);
        var walk = new JnrPaths(vfs, options.root());
        var caller = new Caller(library);
        memory.putInt(flag_nullpath_ok.offset(), NULL_PATH_OK | NO_PATH | UTIME_OMIT_OK);
        names(new NameOperations(vfs, walk, caller, nodes));
        attributes(new AttributeOperations(vfs, walk, options.appearance(), space, clock));
        files(new FileOperations(vfs, walk, options, space, handles, nodes, caller));
        directories(new DirectoryOperations(vfs, walk, options, handles), vfs);
        extended(new ExtendedOperations(vfs, walk, caller));
    }

    long address() {
        return memory.address();
    }

    long length() {
        return Struct.size(this);
    }

    private <T> void set(Func<?> slot, Class<T> shape, T callback) {
        callbacks.add(callback);
        var closures = Runtime.getSystemRuntime().getClosureManager();
        memory.putPointer(slot.offset(), closures.getClosurePointer(shape, callback));
    }

    /** An operation on this path. */
    private static Answers.Subject at(long path) {
        return failed -> NativeMemory.words(path);
    }

    /** An operation on an open file; a handle that is being closed is forgotten before that may fail. */
    private Answers.Subject opened(long file) {
        long ino = handles.inode(FileInfo.at(file).handle());
        return failed -> failedPaths.of(ino, failed);
    }

    private void names(NameOperations names) {
        set(mknod, Callback.PathIntLong.class, (path, mode, device) ->
                answers.done(MKNOD, at(path), () -> names.makeNode(path, mode, device)));
        set(mkdir, Callback.PathInt.class, (path, mode) ->
                answers.done(MKDIR, at(path), () -> names.makeDirectory(path, mode)));
        set(symlink, Callback.PathLong.class, (target, path) ->
                answers.done(SYMLINK, at(path), () -> names.makeSymlink(target, path)));
        set(readlink, Callback.PathLongLong.class, (path, buffer, size) ->
                answers.done(READLINK, at(path), () -> names.readSymlink(path, buffer, size)));
        set(unlink, Callback.Path.class, path -> answers.done(UNLINK, at(path), () -> names.unlink(path)));
        set(rmdir, Callback.Path.class, path -> answers.done(RMDIR, at(path), () -> names.removeDirectory(path)));
        set(rename, Callback.PathLong.class, (path, newPath) ->
                answers.done(RENAME, at(path), () -> names.rename(path, newPath)));
        set(link, Callback.PathLong.class, (path, newPath) ->
                answers.done(LINK, at(path), () -> names.link(path, newPath)));
    }

    private void attributes(AttributeOperations attributes) {
        set(getattr, Callback.PathLong.class, (path, stat) ->
                answers.done(GETATTR, at(path), () -> attributes.show(path, stat)));
        set(chmod, Callback.PathInt.class, (path, mode) ->
                answers.done(CHMOD, at(path), () -> attributes.mode(path, mode)));
        set(chown, Callback.PathIntInt.class, (path, uid, gid) ->
                answers.done(CHOWN, at(path), () -> attributes.owner(path, uid, gid)));
        set(truncate, Callback.PathLong.class, (path, size) ->
                answers.done(TRUNCATE, at(path), () -> attributes.size(path, size)));
        set(utimens, Callback.PathLong.class, (path, times) ->
                answers.done(UTIMENS, at(path), () -> attributes.times(path, times)));
        set(statfs, Callback.PathLong.class, (path, statvfs) ->
                answers.done(STATFS, at(path), () -> attributes.space(path, statvfs)));
    }

    private void files(FileOperations files) {
        set(open, Callback.PathLong.class, (path, file) ->
                answers.done(OPEN, at(path), () -> files.open(path, FileInfo.at(file))));
        set(create, Callback.PathIntLong.class, (path, mode, file) ->
                answers.done(CREATE, at(path), () -> files.create(path, mode, FileInfo.at(file))));
        set(read, Callback.Transfer.class, (path, buffer, size, offset, file) ->
                answers.of(READ, opened(file),
                        () -> answers.read(files.read(FileInfo.at(file), buffer, size, offset))));
        set(write, Callback.Transfer.class, (path, buffer, size, offset, file) ->
                answers.of(WRITE, opened(file), () ->
                        answers.written(files.write(FileInfo.at(file), buffer, size, offset))));
        set(fgetattr, Callback.PathLongLong.class, (path, stat, file) ->
                answers.done(FGETATTR, opened(file), () -> files.attributes(FileInfo.at(file), stat)));
        set(ftruncate, Callback.PathLongLong.class, (path, size, file) ->
                answers.done(FTRUNCATE, opened(file), () -> files.truncate(FileInfo.at(file), size)));
        set(flush, Callback.PathLong.class, (path, file) ->
                answers.done(FLUSH, opened(file), () -> files.flush(FileInfo.at(file))));
        set(release, Callback.PathLong.class, (path, file) ->
                answers.done(RELEASE, opened(file), () -> files.release(FileInfo.at(file))));
        set(fsync, Callback.PathIntLong.class, (path, dataOnly, file) ->
                answers.done(FSYNC, opened(file), () -> files.sync(FileInfo.at(file))));
        set(fallocate, Callback.Range.class, (path, mode, offset, length, file) ->
                answers.done(FALLOCATE, opened(file), () -> files.allocate(FileInfo.at(file), mode, offset, length)));
    }

    private void directories(DirectoryOperations directories, Vfs vfs) {
        set(opendir, Callback.PathLong.class, (path, file) ->
                answers.done(OPENDIR, at(path), () -> directories.open(path, FileInfo.at(file))));
        set(readdir, Callback.Transfer.class, (path, page, filler, cookie, file) ->
                answers.done(READDIR, opened(file), () -> directories.read(FileInfo.at(file), page, filler, cookie)));
        set(releasedir, Callback.PathLong.class, (path, file) ->
                answers.done(RELEASEDIR, opened(file), () -> directories.release(FileInfo.at(file))));
        set(fsyncdir, Callback.PathIntLong.class, (path, dataOnly, file) ->
                answers.done(FSYNCDIR, opened(file), vfs::syncNames));
    }

    private void extended(ExtendedOperations extended) {
        set(setxattr, Callback.NamedFlags.class, (path, name, value, size, flags) ->
                answers.done(SETXATTR, at(path), () -> extended.set(path, name, value, size, flags)));
        set(getxattr, Callback.Named.class, (path, name, value, size) ->
                answers.of(GETXATTR, at(path), () -> extended.get(path, name, value, size)));
        set(listxattr, Callback.PathLongLong.class, (path, buffer, size) ->
                answers.of(LISTXATTR, at(path), () -> extended.list(path, buffer, size)));
        set(removexattr, Callback.PathLong.class, (path, name) ->
                answers.done(REMOVEXATTR, at(path), () -> extended.remove(path, name)));
    }
}

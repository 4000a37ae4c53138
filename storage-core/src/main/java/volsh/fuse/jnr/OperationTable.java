package volsh.fuse.jnr;

import static volsh.fuse.jnr.Operation.*;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import jnr.ffi.Runtime;
import jnr.ffi.Struct;
import jnr.ffi.provider.ParameterFlags;
import ru.serce.jnrfuse.struct.FuseOperations;
import volsh.fuse.Handles;
import volsh.fuse.MountOptions;
import volsh.fuse.Space;
import volsh.vfs.Vfs;

/**
 * {@code struct fuse_operations}: what libfuse calls for each operation. It has the layout of jnr-fuse and callbacks of our
 * own, since those of jnr-fuse take paths for text. What is missing here libfuse and the kernel do without us: {@code lock}
 * and {@code flock} are the kernel's, and so is {@code access} ({@code default_permissions}).
 */
final class OperationTable extends FuseOperations {
    /** Paths may be missing: operations on open files go by handle, also after the file is unlinked. */
    private static final int NULL_PATH_OK = 1;
    private static final int NO_PATH = 2;
    private static final int UTIME_OMIT_OK = 4;

    private final jnr.ffi.Pointer memory = Struct.getMemory(this, ParameterFlags.DIRECT);
    private final List<Object> callbacks = new ArrayList<>();   // as long as libfuse may call them
    private final Answers answers;

    OperationTable(
            Answers answers, Vfs vfs, MountOptions options, Space.Source space, InstantSource clock, Handles handles,
            OpenNodes nodes, LibFuse library) {
        super(Runtime.getSystemRuntime());
        this.answers = answers;
        var walk = new Walk(vfs, options.root());
        var caller = new Caller(library);
        memory.putInt(flag_nullpath_ok.offset(), NULL_PATH_OK | NO_PATH | UTIME_OMIT_OK);
        names(new NameOperations(vfs, walk, caller, nodes));
        attributes(new AttributeOperations(vfs, walk, options.appearance(), space, clock));
        files(new FileOperations(vfs, walk, options, handles, nodes, caller));
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

    private void names(NameOperations names) {
        set(mknod, Callback.PathIntLong.class, (path, mode, device) ->
                answers.done(MKNOD, () -> names.makeNode(path, mode, device)));
        set(mkdir, Callback.PathInt.class, (path, mode) -> answers.done(MKDIR, () -> names.makeDirectory(path, mode)));
        set(symlink, Callback.PathLong.class, (target, path) ->
                answers.done(SYMLINK, () -> names.makeSymlink(target, path)));
        set(readlink, Callback.PathLongLong.class, (path, buffer, size) ->
                answers.done(READLINK, () -> names.readSymlink(path, buffer, size)));
        set(unlink, Callback.Path.class, path -> answers.done(UNLINK, () -> names.unlink(path)));
        set(rmdir, Callback.Path.class, path -> answers.done(RMDIR, () -> names.removeDirectory(path)));
        set(rename, Callback.PathLong.class, (path, newPath) ->
                answers.done(RENAME, () -> names.rename(path, newPath)));
        set(link, Callback.PathLong.class, (path, newPath) -> answers.done(LINK, () -> names.link(path, newPath)));
    }

    private void attributes(AttributeOperations attributes) {
        set(getattr, Callback.PathLong.class, (path, stat) -> answers.done(GETATTR, () -> attributes.show(path, stat)));
        set(chmod, Callback.PathInt.class, (path, mode) -> answers.done(CHMOD, () -> attributes.mode(path, mode)));
        set(chown, Callback.PathIntInt.class, (path, uid, gid) ->
                answers.done(CHOWN, () -> attributes.owner(path, uid, gid)));
        set(truncate, Callback.PathLong.class, (path, size) ->
                answers.done(TRUNCATE, () -> attributes.size(path, size)));
        set(utimens, Callback.PathLong.class, (path, times) ->
                answers.done(UTIMENS, () -> attributes.times(path, times)));
        set(statfs, Callback.PathLong.class, (path, statvfs) -> answers.done(STATFS, () -> attributes.space(path, statvfs)));
    }

    private void files(FileOperations files) {
        set(open, Callback.PathLong.class, (path, file) ->
                answers.done(OPEN, () -> files.open(path, FileInfo.at(file))));
        set(create, Callback.PathIntLong.class, (path, mode, file) ->
                answers.done(CREATE, () -> files.create(path, mode, FileInfo.at(file))));
        set(read, Callback.Transfer.class, (path, buffer, size, offset, file) ->
                answers.of(READ, () -> answers.read(files.read(FileInfo.at(file), buffer, size, offset))));
        set(write, Callback.Transfer.class, (path, buffer, size, offset, file) ->
                answers.of(WRITE, () -> answers.written(files.write(FileInfo.at(file), buffer, size, offset))));
        set(fgetattr, Callback.PathLongLong.class, (path, stat, file) ->
                answers.done(FGETATTR, () -> files.attributes(FileInfo.at(file), stat)));
        set(ftruncate, Callback.PathLongLong.class, (path, size, file) ->
                answers.done(FTRUNCATE, () -> files.truncate(FileInfo.at(file), size)));
        set(flush, Callback.PathLong.class, (path, file) -> answers.done(FLUSH, () -> files.flush(FileInfo.at(file))));
        set(release, Callback.PathLong.class, (path, file) ->
                answers.done(RELEASE, () -> files.release(FileInfo.at(file))));
        set(fsync, Callback.PathIntLong.class, (path, dataOnly, file) ->
                answers.done(FSYNC, () -> files.sync(FileInfo.at(file))));
        set(fallocate, Callback.Range.class, (path, mode, offset, length, file) ->
                answers.done(FALLOCATE, () -> files.allocate(FileInfo.at(file), mode, offset, length)));
    }

    private void directories(DirectoryOperations directories, Vfs vfs) {
        set(opendir, Callback.PathLong.class, (path, file) ->
                answers.done(OPENDIR, () -> directories.open(path, FileInfo.at(file))));
        set(readdir, Callback.Transfer.class, (path, page, filler, cookie, file) ->
                answers.done(READDIR, () -> directories.read(FileInfo.at(file), page, filler, cookie)));
        set(releasedir, Callback.PathLong.class, (path, file) ->
                answers.done(RELEASEDIR, () -> directories.release(FileInfo.at(file))));
        set(fsyncdir, Callback.PathIntLong.class, (path, dataOnly, file) -> answers.done(FSYNCDIR, vfs::syncNames));
    }

    private void extended(ExtendedOperations extended) {
        set(setxattr, Callback.NamedFlags.class, (path, name, value, size, flags) ->
                answers.done(SETXATTR, () -> extended.set(path, name, value, size, flags)));
        set(getxattr, Callback.Named.class, (path, name, value, size) ->
                answers.of(GETXATTR, () -> extended.get(path, name, value, size)));
        set(listxattr, Callback.PathLongLong.class, (path, buffer, size) ->
                answers.of(LISTXATTR, () -> extended.list(path, buffer, size)));
        set(removexattr, Callback.PathLong.class, (path, name) ->
                answers.done(REMOVEXATTR, () -> extended.remove(path, name)));
    }
}

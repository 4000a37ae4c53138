package volsh.fuse;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.vfs.OpenDirectory;
import volsh.vfs.OpenFile;

/** The open files and directories of a mount, by the handles the kernel knows them under. */
public final class Handles implements OpenHandles {
    private final Map<Long, OpenFile> files = new ConcurrentHashMap<>();
    private final Map<Long, OpenDirectory> directories = new ConcurrentHashMap<>();
    private final AtomicLong next = new AtomicLong(1);

    public long add(OpenFile file) {
        long handle = next.getAndIncrement();
        files.put(handle, file);
        return handle;
    }

    public long add(OpenDirectory directory) {
        long handle = next.getAndIncrement();
        directories.put(handle, directory);
        return handle;
    }

    public OpenFile file(long handle) throws FsException {
        var file = files.get(handle);
        if (file == null) {
            throw new FsException(FsError.BAD_HANDLE);
        }
        return file;
    }

    public OpenDirectory directory(long handle) throws FsException {
        var directory = directories.get(handle);
        if (directory == null) {
            throw new FsException(FsError.BAD_HANDLE);
        }
        return directory;
    }

    /** The inode of an open handle; 0 if it is not open. */
    public long inode(long handle) {
        var file = files.get(handle);
        var directory = file == null ? directories.get(handle) : null;
        return file != null ? file.ino() : directory != null ? directory.ino() : 0;
    }

    /** Forgets the handle and closes its file or directory. */
    public void close(long handle) throws IOException {
        close(handle, flushed -> {});
    }

    /** Like {@link #close(long)}; {@code flushed} receives a file once written out, before it counts as closed. */
    public void close(long handle, Consumer<OpenFile> flushed) throws IOException {
        directories.remove(handle);
        var file = files.remove(handle);
        if (file != null) {
            file.close(() -> flushed.accept(file));
        }
    }

    @Override
    public void closeAll() throws IOException {
        IOException first = null;
        for (long handle : new ArrayList<>(files.keySet())) {
            try {
                close(handle);
            } catch (IOException failed) {
                first = first == null ? failed : first;
            }
        }
        directories.clear();
        if (first != null) {
            throw first;
        }
    }
}

package volsh.fuse;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import volsh.fs.Closeables;
import volsh.fs.FsError;
import volsh.fs.FsException;

/**
 * What the programs of a mount have open: files and directories, by the handles the kernel knows them under.
 *
 * @param <F> an open file
 * @param <D> an open directory
 */
public abstract class OpenHandles<F, D> {
    private final Map<Long, F> files = new ConcurrentHashMap<>();
    private final Map<Long, D> directories = new ConcurrentHashMap<>();
    private final AtomicLong next = new AtomicLong(1);

    /** Writes out and closes a file whose handle is forgotten. */
    protected abstract void end(F file) throws IOException;

    public final long addFile(F file) {
        return add(files, file);
    }

    public final long addDirectory(D directory) {
        return add(directories, directory);
    }

    private <T> long add(Map<Long, T> open, T one) {
        long handle = next.getAndIncrement();
        open.put(handle, one);
        return handle;
    }

    public final F file(long handle) throws FsException {
        return required(files.get(handle));
    }

    public final D directory(long handle) throws FsException {
        return required(directories.get(handle));
    }

    private static <T> T required(@Nullable T open) throws FsException {
        if (open == null) {
            throw new FsException(FsError.BAD_HANDLE);
        }
        return open;
    }

    final @Nullable F fileOrNull(long handle) {
        return files.get(handle);
    }

    final @Nullable D directoryOrNull(long handle) {
        return directories.get(handle);
    }

    /** Forgets the handle; returns the file it was of. */
    final @Nullable F remove(long handle) {
        directories.remove(handle);
        return files.remove(handle);
    }

    /** Forgets the handle and closes its file or directory. */
    public final void close(long handle) throws IOException {
        var file = remove(handle);
        if (file != null) {
            end(file);
        }
    }

    /** Closes everything the kernel left open; tries all, throws the first failure. */
    final void closeAll() throws IOException {
        try {
            Closeables.closeAll(List.copyOf(files.keySet()), this::close);
        } finally {
            directories.clear();
        }
    }
}

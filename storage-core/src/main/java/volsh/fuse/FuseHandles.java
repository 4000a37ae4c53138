package volsh.fuse;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import volsh.fs.FsError;
import volsh.fs.FsException;

/** The open files and directories of a {@link FuseFileSystem}, by the handles the kernel knows them under. */
public final class FuseHandles implements OpenHandles {
    private final Map<Long, FuseFile> files = new ConcurrentHashMap<>();
    private final Map<Long, FuseDirectory> directories = new ConcurrentHashMap<>();
    private final AtomicLong next = new AtomicLong(1);

    public long add(FuseFile file) {
        long handle = next.getAndIncrement();
        files.put(handle, file);
        return handle;
    }

    public long add(FuseDirectory directory) {
        long handle = next.getAndIncrement();
        directories.put(handle, directory);
        return handle;
    }

    public FuseFile file(long handle) throws FsException {
        var file = files.get(handle);
        if (file == null) {
            throw new FsException(FsError.BAD_HANDLE);
        }
        return file;
    }

    public FuseDirectory directory(long handle) throws FsException {
        var directory = directories.get(handle);
        if (directory == null) {
            throw new FsException(FsError.BAD_HANDLE);
        }
        return directory;
    }

    public void close(long handle) throws IOException {
        directories.remove(handle);
        var file = files.remove(handle);
        if (file != null) {
            file.close();
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

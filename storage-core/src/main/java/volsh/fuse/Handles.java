package volsh.fuse;

import java.io.IOException;
import java.util.function.Consumer;
import volsh.vfs.OpenDirectory;
import volsh.vfs.OpenFile;

/** The open files and directories of a mounted volume. */
public final class Handles extends OpenHandles<OpenFile, OpenDirectory> {
    /** The inode of an open handle; 0 if it is not open. */
    public long inode(long handle) {
        var file = fileOrNull(handle);
        var directory = file == null ? directoryOrNull(handle) : null;
        return file != null ? file.ino() : directory != null ? directory.ino() : 0;
    }

    /** Like {@link #close(long)}; {@code flushed} receives a file once written out, before it counts as closed. */
    public void close(long handle, Consumer<OpenFile> flushed) throws IOException {
        var file = remove(handle);
        if (file != null) {
            file.close(() -> flushed.accept(file));
        }
    }

    @Override
    protected void end(OpenFile file) throws IOException {
        file.close();
    }
}

package volsh.fuse;

import java.io.IOException;
import volsh.fs.FsException;

/** A volume mounted as a file system, independent of the transport. */
public interface Mount extends AutoCloseable {
    /** Waits until the mount is gone. */
    void await() throws InterruptedException;

    /** Statistics of its operations. */
    OperationStats stats();

    /** Whether it is mounted, as this process sees it. */
    boolean isMounted();

    /** Unmounts, unless it is in use and not {@code lazy}; then {@link #await} returns. @throws FsException BUSY */
    void unmount(boolean lazy) throws FsException;

    /** Ends the mount at once: pending requests fail. Bytes that are not flushed stay with the vfs. */
    void abort();

    /** Unmounts and writes out what open files still hold; programs that have files open here lose them. */
    @Override
    void close() throws IOException;
}

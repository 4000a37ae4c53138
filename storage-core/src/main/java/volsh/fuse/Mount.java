package volsh.fuse;

import java.io.IOException;
import volsh.fs.FsException;

/** A volume that programs use as files, whichever transport carries their requests. */
public interface Mount extends AutoCloseable {
    /** Waits until the mount is gone. */
    void await() throws InterruptedException;

    /** What it has done so far. */
    OperationStats stats();

    /** Is it there, as this process sees it? */
    boolean isMounted();

    /** Takes the mount away, if nobody uses it or {@code lazy}; then {@link #await} returns. @throws FsException BUSY */
    void unmount(boolean lazy) throws FsException;

    /** Ends the mount at once: whoever waits for an answer gets an error. Bytes that are not flushed stay with the vfs. */
    void abort();

    /** Unmounts, and writes out what open files still hold; programs that have files open here lose them. */
    @Override
    void close() throws IOException;
}

package volsh.mount;

import java.io.IOException;

/** A mount that this process serves until it ends. */
public sealed interface ServedMountProcess extends AutoCloseable permits MountService, BucketService {
    /** Serves until the mount is gone, then writes out what is left, until that succeeds or it is discarded. */
    void serve() throws IOException, InterruptedException;

    /** Ends the mount: everything written is stored, then the records of the process are removed. */
    @Override
    void close() throws IOException;
}

package volsh.fuse.jnr;

import java.io.IOException;
import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.IgnoreError;

/**
 * The functions of libfuse 2 below its main loop: the loop is ours, so that requests run on Java threads, which libfuse
 * neither creates nor cancels. Addresses are longs.
 */
@IgnoreError
public interface LibFuse {
    /**
     * Mounts, with command line arguments, and creates the file system of these operations. 0 if it failed, after
     * printing the reason to stderr.
     */
    long fuse_setup(
            int count, long words, long operations, long operationsSize, long mountPoint, long multithreaded,
            long data);

    long fuse_get_session(long fuse);

    /** The channel after {@code last}; 0: the first. */
    long fuse_session_next_chan(long session, long last);

    int fuse_chan_fd(long channel);

    long fuse_chan_bufsize(long channel);

    /** Waits for a request; its length, 0 if there will be none, or a negative error number. */
    int fuse_chan_recv(long channelPointer, long buffer, long size);

    /** Answers a request by calling the operations. */
    void fuse_session_process(long session, long buffer, long length, long channel);

    /** Frees everything, and closes the channel. */
    void fuse_destroy(long fuse);

    /** The requesting process: during a request, on the thread that answers it. */
    long fuse_get_context();

    /** @throws IOException if libfuse 2 is not installed */
    static LibFuse load() throws IOException {
        try {
            return NativeLibrary.with(() -> LibraryLoader.create(LibFuse.class).failImmediately().load("libfuse.so.2"));
        } catch (LinkageError missing) {
            throw new IOException("libfuse 2 is not installed (Debian package: libfuse2): " + missing.getMessage(),
                    missing);
        }
    }
}

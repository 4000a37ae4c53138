package volsh.fuse;

import java.io.InterruptedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.SocketTimeoutException;
import java.util.function.Supplier;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;

/** Maps failures of requests to error numbers: expected ones silently, unexpected ones as EIO with a stack trace. */
public final class RequestFailures {
    private static final Logger LOG = System.getLogger("volsh.fuse");

    private RequestFailures() {}

    /** The kernel sent a request that this file system does not support. */
    public static final class UnknownRequest extends RuntimeException {
        private static final long serialVersionUID = 1;

        public UnknownRequest() {
            super(null, null, false, false);
        }
    }

    /** Whether this error number means trouble with the file system rather than with the request. */
    public static boolean isTrouble(int errno) {
        // the kernel checks permissions, so it is volsh itself that was denied access
        return errno == Errno.EIO || errno == Errno.of(FsError.ACCESS);
    }

    /** Whether a quota refused it: the bytes are dropped, so that nothing but the request tells. */
    public static boolean isQuota(int errno) {
        return errno == Errno.of(FsError.QUOTA);
    }

    /** The error number; {@code request} is evaluated only for an unexpected failure. */
    public static int errno(Throwable failed, Supplier<String> request) {
        return switch (failed) {
            case FsException refused -> Errno.of(refused.error());
            case UnknownRequest unknown -> Errno.ENOSYS;
            default -> surprise(failed, request);
        };
    }

    private static int surprise(Throwable surprise, Supplier<String> request) {
        if (NoSpaceException.isBehind(surprise)) {
            return Errno.of(FsError.NO_SPACE);
        }
        for (Throwable cause = surprise; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case FsException refused -> {
                    return Errno.of(refused.error());
                }
                // a server that does not answer: with EINTR a program would retry forever
                case SocketTimeoutException silent -> { }
                case InterruptedIOException interrupted -> {
                    return Errno.EINTR;
                }
                default -> { }
            }
        }
        LOG.log(Level.ERROR, () -> request.get() + " failed; returning EIO", surprise);
        return Errno.EIO;
    }
}

package volsh.fuse;

import java.io.InterruptedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.SocketTimeoutException;
import java.util.function.Supplier;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;

/** What a request ends with that could not be answered: refusals quietly, surprises as EIO with a trace. */
public final class RequestFailures {
    private static final Logger LOG = System.getLogger("volsh.fuse");

    private RequestFailures() {}

    /** The kernel asked for something this file system does not have. */
    public static final class UnknownRequest extends RuntimeException {
        private static final long serialVersionUID = 1;

        public UnknownRequest() {
            super(null, null, false, false);
        }
    }

    /** Whether this number says that something is wrong with the file system, and not with what was asked of it. */
    public static boolean isTrouble(int errno) {
        return errno == Errno.EIO || errno == Errno.of(FsError.ACCESS);   // the kernel checks permissions, so it is we who are not let in
    }

    /** The error number; {@code request} is asked for its words only if the failure is a surprise. */
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
                case SocketTimeoutException silent -> { }   // a server's silence: for EINTR a program would just ask again, for ever
                case InterruptedIOException interrupted -> {
                    return Errno.EINTR;
                }
                default -> { }
            }
        }
        LOG.log(Level.ERROR, () -> request.get() + " failed, answering EIO", surprise);
        return Errno.EIO;
    }
}

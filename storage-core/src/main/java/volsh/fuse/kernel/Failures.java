package volsh.fuse.kernel;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.FileSystemException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.Errno;

/** What a request ends with that could not be answered: refusals quietly, surprises as EIO with a trace. */
final class Failures {
    private static final Logger LOG = System.getLogger("volsh.fuse");

    private Failures() {}

    /** The kernel asked for something this file system does not have. */
    static final class UnknownRequest extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnknownRequest() {
            super(null, null, false, false);
        }
    }

    static int errno(Throwable failed, Request request) {
        return switch (failed) {
            case FsException refused -> Errno.of(refused.error() == FsError.NO_ENTRY && isOfNode(request.opcode()) ? FsError.STALE : refused.error());
            case UnknownRequest unknown -> Errno.ENOSYS;
            default -> surprise(failed, request);
        };
    }

    /** Is the request about a node and no name? That it is gone the kernel is told as ESTALE: it then looks its name up again. */
    private static boolean isOfNode(int opcode) {
        return switch (opcode) {
            case Opcode.GETATTR, Opcode.SETATTR, Opcode.READLINK, Opcode.OPEN, Opcode.OPENDIR, Opcode.GETXATTR, Opcode.LISTXATTR -> true;
            default -> false;
        };
    }

    private static int surprise(Throwable surprise, Request request) {
        for (Throwable cause = surprise; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case FsException refused -> {
                    return Errno.of(refused.error());
                }
                case InterruptedIOException interrupted -> {
                    return Errno.EINTR;
                }
                case FileSystemException disk when isFull(disk.getReason()) -> {
                    return Errno.of(FsError.NO_SPACE);
                }
                case IOException disk when isFull(disk.getMessage()) -> {
                    return Errno.of(FsError.NO_SPACE);
                }
                default -> { }
            }
        }
        LOG.log(Level.ERROR, () -> "request %d on inode %d failed, answering EIO".formatted(request.opcode(), request.node()), surprise);
        return Errno.EIO;
    }

    private static boolean isFull(String message) {
        return String.valueOf(message).contains("No space left");
    }
}

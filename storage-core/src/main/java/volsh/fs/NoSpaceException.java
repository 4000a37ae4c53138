package volsh.fs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A local disk or a store is full. Programs get ENOSPC, commands exit with 8; free space and the call succeeds. */
public final class NoSpaceException extends IOException {
    private static final long serialVersionUID = 1;
    private static final String QUOTA = "Disk quota exceeded";
    /** Chains of causes may be cyclic. */
    private static final int LONGEST_CHAIN = 100;

    public NoSpaceException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** A failure of a disk with this message; of this type if the cause is a lack of space. */
    public static IOException typed(String message, IOException failed) {
        return isFull(failed.getMessage()) ? new NoSpaceException(message, failed) : new IOException(message, failed);
    }

    /** The same failure; of this type if the cause is a lack of space. */
    public static IOException typed(IOException failed) {
        return isFull(failed.getMessage()) ? new NoSpaceException(failed.getMessage(), failed) : failed;
    }

    /** Whether a lack of space is the cause. The JDK and stores say so only in the message: matched only here. */
    public static boolean isBehind(Throwable failure) {
        var cause = failure;
        for (int depth = 0; cause != null && depth < LONGEST_CHAIN; depth++, cause = cause.getCause()) {
            if (cause instanceof NoSpaceException
                    || cause instanceof FsException refused && refused.error() == FsError.NO_SPACE
                    || cause instanceof IOException && isFull(cause.getMessage())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isFull(@Nullable String message) {
        return message != null && (message.contains("No space left") || message.contains(QUOTA));
    }

    /** The cause in the words of the system. */
    public static String words(Throwable failure) {
        return isQuotaBehind(failure) ? QUOTA : "No space left on device";
    }

    /** Whether a quota of the disk is the cause. */
    public static boolean isQuotaBehind(Throwable failure) {
        var cause = failure;
        for (int depth = 0; cause != null && depth < LONGEST_CHAIN; depth++, cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains(QUOTA)) {
                return true;
            }
        }
        return false;
    }
}

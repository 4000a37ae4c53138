package volsh.fs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A local disk or a store is full. Programs hear ENOSPC, commands end with 8; freeing space makes the same call succeed. */
public final class NoSpaceException extends IOException {
    private static final long serialVersionUID = 1;
    private static final String QUOTA = "Disk quota exceeded";
    /** Causes may lead in a circle. */
    private static final int LONGEST_CHAIN = 100;

    public NoSpaceException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** A failure of a disk under this message; of this type if want of space is why it failed. */
    public static IOException typed(String message, IOException failed) {
        return isFull(failed.getMessage()) ? new NoSpaceException(message, failed) : new IOException(message, failed);
    }

    /** The same failure; of this type if want of space is why it failed. */
    public static IOException typed(IOException failed) {
        return isFull(failed.getMessage()) ? new NoSpaceException(failed.getMessage(), failed) : failed;
    }

    /**
     * Whether want of space is why this failed. The JDK says so only in the text, and so do stores: nothing else looks
     * for these words.
     */
    public static boolean isBehind(Throwable failure) {
        var cause = failure;
        for (int depth = 0; cause != null && depth < LONGEST_CHAIN; depth++, cause = cause.getCause()) {
            if (cause instanceof NoSpaceException || cause instanceof FsException refused && refused.error() == FsError.NO_SPACE
                    || cause instanceof IOException && isFull(cause.getMessage())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isFull(@Nullable String message) {
        return message != null && (message.contains("No space left") || message.contains(QUOTA));
    }

    /** Whether it is a quota of the disk that leaves no space. */
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

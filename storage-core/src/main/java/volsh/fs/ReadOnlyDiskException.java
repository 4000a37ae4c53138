package volsh.fs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A local disk, or a file on it, is read-only. Commands exit with 9; once it is writable the same call succeeds. */
public final class ReadOnlyDiskException extends IOException {
    private static final long serialVersionUID = 1;

    public ReadOnlyDiskException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Whether this failure itself, not a cause, says that a disk is read-only, which the JDK puts into the message. */
    public static boolean is(Throwable failure) {
        return failure instanceof ReadOnlyDiskException || failure instanceof IOException
                && String.valueOf(failure.getMessage()).contains("Read-only file system");
    }
}

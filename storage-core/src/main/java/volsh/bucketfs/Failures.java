package volsh.bucketfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsError;
import volsh.fs.FsException;

/** Failures of other threads, and refusals that say why. */
final class Failures {
    private Failures() {}

    /** What another thread threw, for this one. */
    static IOException of(@Nullable Throwable cause) {
        return switch (cause) {
            case null -> new IOException("failed without a reason");
            case FsException refused -> refused;
            case IOException failed -> failed;
            case RuntimeException bug -> throw bug;
            case Error serious -> throw serious;
            default -> new IOException(cause);
        };
    }

    static IOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted");
    }

    static FsException notSupported(String why) {
        return new FsException(FsError.NOT_SUPPORTED, why);
    }
}

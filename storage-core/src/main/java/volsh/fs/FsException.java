package volsh.fs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A refusal that the caller can handle. Cheap: refusals are ordinary results, so it has no stack trace. */
public final class FsException extends IOException {
    private final FsError error;

    public FsException(FsError error) {
        this(error, error.text());
    }

    public FsException(FsError error, @Nullable String message) {
        super(message);
        this.error = error;
    }

    public FsException(FsError error, @Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
        this.error = error;
    }

    public FsError error() {
        return error;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}

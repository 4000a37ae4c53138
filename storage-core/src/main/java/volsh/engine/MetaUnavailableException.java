package volsh.engine;

import java.io.IOException;

/** The metadata is unavailable now; nothing was written, and retrying later may succeed. */
public final class MetaUnavailableException extends IOException {
    public MetaUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}

package volsh.engine;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The metadata is unavailable now; nothing was written, and retrying later may succeed. */
public final class MetaUnavailableException extends IOException {
    public MetaUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

package volsh.engine;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The metadata cannot be reached now; nothing was written, and trying again later may succeed. */
public final class MetaUnavailableException extends IOException {
    public MetaUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

package volsh.block;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The store failed until the retries ran out. It may work later. */
public sealed class UnavailableException extends IOException permits MissingStoreException {
    public UnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

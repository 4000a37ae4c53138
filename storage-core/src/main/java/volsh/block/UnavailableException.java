package volsh.block;

import java.io.IOException;

/** The store failed until the retries ran out. It may work later. */
public sealed class UnavailableException extends IOException permits MissingStoreException {
    public UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}

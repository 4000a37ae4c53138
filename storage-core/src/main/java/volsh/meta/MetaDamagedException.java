package volsh.meta;

import java.io.IOException;

/** The metadata is there but is not what was written: truncated, overwritten, or no database of ours. Trying again does not help. */
public final class MetaDamagedException extends IOException {
    public MetaDamagedException(String message) {
        super(message);
    }

    public MetaDamagedException(String message, Throwable cause) {
        super(message, cause);
    }
}

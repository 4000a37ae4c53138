package volsh.journal;

import java.io.IOException;

/** A staged block differs from what was staged. There is no other copy. */
public final class DamagedEntryException extends IOException {
    private static final long serialVersionUID = 1;

    DamagedEntryException(String message) {
        super(message);
    }
}

package volsh.place;

import java.io.IOException;

/** Too few parts of a block are left to read it, although its stores answer. */
public final class LostBlockException extends IOException {
    LostBlockException(String message, Throwable cause) {
        super(message, cause);
    }
}

package volsh.ship;

import java.io.IOException;

/** While it was restored, the volume was shipped anew and what was being read removed. To be tried again from the start. */
public final class MovedOnException extends IOException {
    MovedOnException(IOException cause) {
        super("the volume's metadata is being shipped right now; try again", cause);
    }
}

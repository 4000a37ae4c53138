package volsh.ship;

import java.io.IOException;

/** During a restore the volume was shipped again and what was being read was removed. Retry from the start. */
public final class MovedOnException extends IOException {
    MovedOnException(IOException cause) {
        super("the metadata of the volume is being shipped right now; retry", cause);
    }
}

package volsh.upkeep;

import java.io.IOException;

/** Somebody wanted it to end before it was done. */
public final class StoppedException extends IOException {
    public StoppedException() {
        super("stopped before it was done");
    }
}

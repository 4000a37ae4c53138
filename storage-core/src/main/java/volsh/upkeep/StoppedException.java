package volsh.upkeep;

import java.io.IOException;

/** The operation was cancelled before it was done. */
public final class StoppedException extends IOException {
    public StoppedException() {
        super("cancelled before it was done");
    }
}

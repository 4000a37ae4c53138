package volsh.block;

import java.io.IOException;
import java.time.Duration;

/** The store has too much to do and asks to be left alone for a while. */
public final class SlowDownException extends IOException {
    private final transient Duration wait;

    public SlowDownException(String message, Duration wait, Throwable cause) {
        super(message, cause);
        this.wait = wait;
    }

    /** At least how long. */
    public Duration atLeast() {
        return wait;
    }
}

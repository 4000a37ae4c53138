package volsh.block;

import java.io.IOException;
import java.time.Duration;

/** The store is overloaded and asks to slow down. */
public final class SlowDownException extends IOException {
    private final transient Duration wait;

    public SlowDownException(String message, Duration wait, Throwable cause) {
        super(message, cause);
        this.wait = wait;
    }

    /** The minimum pause. */
    public Duration atLeast() {
        return wait;
    }
}

package volsh.volume;

import java.io.IOException;
import java.util.List;

/** A request the front door refuses, with what to do next. Nothing was changed. */
public final class Refusal extends IOException {
    /** What kind of trouble it is; each has its exit code. */
    public enum Reason {
        NOT_FOUND,
        CONFLICT,
        BUSY,
        INVALID,
        UNAVAILABLE
    }

    private final Reason reason;
    private final transient List<String> hints;

    public Refusal(Reason reason, String message, String... hints) {
        super(message);
        this.reason = reason;
        this.hints = List.of(hints);
    }

    public Refusal(Reason reason, String message, Throwable cause, String... hints) {
        super(message, cause);
        this.reason = reason;
        this.hints = List.of(hints);
    }

    public Reason reason() {
        return reason;
    }

    /** Commands that help, ready to paste. */
    public List<String> hints() {
        return hints;
    }
}

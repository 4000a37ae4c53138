package volsh.volume;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import volsh.disk.UntrustedException;

/** A request the front door refuses, with what to do next. Nothing was changed. */
public final class Refusal extends IOException {
    /** What kind of trouble it is; each has its exit code. */
    public enum Reason {
        NOT_FOUND,
        CONFLICT,
        BUSY,
        INVALID,
        UNAVAILABLE,
        NO_SPACE,
        DAMAGED,
        FORBIDDEN
    }

    private final Reason reason;
    private final transient List<String> hints;
    private final transient List<String> details;

    public Refusal(Reason reason, String message, String... hints) {
        this(reason, message, null, hints);
    }

    public Refusal(Reason reason, String message, Throwable cause, String... hints) {
        this(reason, message, cause, List.of(), List.of(hints));
    }

    private Refusal(Reason reason, String message, Throwable cause, List<String> details, List<String> hints) {
        super(message, cause);
        this.reason = reason;
        this.details = details;
        this.hints = hints;
    }

    /** Of a place that others may change, or have made. */
    static Refusal untrusted(String what, UntrustedException untrusted) {
        return new Refusal(Reason.FORBIDDEN, "%s cannot be trusted: %s".formatted(what, untrusted.told()), untrusted, untrusted.fix());
    }

    /** The same with a fact that helps, such as who is in the way. */
    public Refusal detail(String line) {
        var more = new ArrayList<>(details);
        more.add(line);
        return new Refusal(reason, getMessage(), getCause(), List.copyOf(more), hints);
    }

    public Reason reason() {
        return reason;
    }

    /** Facts that help, a line each. */
    public List<String> details() {
        return details;
    }

    /** Commands that help, ready to paste. */
    public List<String> hints() {
        return hints;
    }
}

package volsh.catalog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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
    private final transient @Nullable Unknown unknown;   // null if it is about something else

    /** A name that nothing has, and those there are: one of them may be meant. */
    public record Unknown(String name, List<String> there) {
        public Unknown {
            there = List.copyOf(there);
        }
    }

    public Refusal(Reason reason, @Nullable String message, String... hints) {
        this(reason, message, null, hints);
    }

    public Refusal(Reason reason, @Nullable String message, @Nullable Throwable cause, String... hints) {
        this(reason, message, cause, List.of(), List.of(hints), null);
    }

    private Refusal(Reason reason, @Nullable String message, @Nullable Throwable cause, List<String> details,
            List<String> hints, @Nullable Unknown unknown) {
        super(message, cause);
        this.unknown = unknown;
        this.reason = reason;
        this.details = details;
        this.hints = hints;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** Of a place that others may change, or have made. */
    public static Refusal untrusted(String what, UntrustedException untrusted) {
        return new Refusal(Reason.FORBIDDEN, "%s cannot be trusted: %s".formatted(what, untrusted.told()), untrusted,
                untrusted.fix());
    }

    /** The same with a fact that helps, such as the process that is in the way. */
    public Refusal detail(String line) {
        var more = new ArrayList<>(details);
        more.add(line);
        return new Refusal(reason, getMessage(), getCause(), List.copyOf(more), hints, unknown);
    }

    /** The same with what there is instead of a name that nothing has. */
    public Refusal among(String name, List<String> there) {
        return new Refusal(reason, getMessage(), getCause(), details, hints, new Unknown(name, there));
    }

    public Optional<Unknown> unknown() {
        return Optional.ofNullable(unknown);
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

package volsh.script;

import org.codehaus.groovy.runtime.FormatHelper;
import org.jspecify.annotations.Nullable;
import volsh.unit.Span;

/** The result of an {@code attempt}: a value or a failure. True in conditions if it succeeded. */
public final class Result {
    private final @Nullable Object value;
    private final @Nullable VolshException failure;
    private final Span took;

    Result(@Nullable Object value, @Nullable VolshException failure, Span took) {
        this.value = value;
        this.failure = failure;
        this.took = took;
    }

    public @Nullable Object getValue() {
        return value;
    }

    /** The failure; null after success. */
    public @Nullable VolshException getFailure() {
        return failure;
    }

    public boolean isOk() {
        return failure == null;
    }

    /** The exit code that the failure would have. */
    public int getExit() {
        return failure == null ? 0 : failure.getStatus();
    }

    public Span getTook() {
        return took;
    }

    /** {@code ok 3}, or {@code failed: no such volume (exit 3)}. */
    @Override
    public String toString() {
        if (failure != null) {
            return "failed: %s (exit %d)".formatted(failure.getMessage(), getExit());
        }
        return value == null ? "ok" : "ok " + FormatHelper.toString(value);
    }

    /** Groovy's truth. */
    public boolean asBoolean() {
        return isOk();
    }
}

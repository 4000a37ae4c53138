package volsh.engine;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A row is not a counter, or has another shape than the delta. */
public final class CounterShapeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final transient @Nullable MetaKey row;

    public CounterShapeException(String message, Throwable cause) {
        this(null, message, cause);
    }

    CounterShapeException(@Nullable MetaKey row, String message, Throwable cause) {
        super(message, cause);
        this.row = row;
    }

    /** The row, if known. */
    public Optional<MetaKey> row() {
        return Optional.ofNullable(row);
    }
}

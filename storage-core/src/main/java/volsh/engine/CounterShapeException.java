package volsh.engine;

import java.util.Optional;

/** A row is not a counter, or has another shape than the delta. */
public final class CounterShapeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final transient MetaKey row;

    public CounterShapeException(String message, Throwable cause) {
        this(null, message, cause);
    }

    CounterShapeException(MetaKey row, String message, Throwable cause) {
        super(message, cause);
        this.row = row;
    }

    /** The row, if known. */
    public Optional<MetaKey> row() {
        return Optional.ofNullable(row);
    }
}

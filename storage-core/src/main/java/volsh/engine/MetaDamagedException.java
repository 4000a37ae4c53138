package volsh.engine;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.fs.DamagedException;

/** The metadata is not what was written: truncated, overwritten, or not a volsh database. Retrying does not help. */
public final class MetaDamagedException extends DamagedException {
    private final transient @Nullable MetaKey row;

    public MetaDamagedException(String message) {
        this(message, (Throwable) null);
    }

    public MetaDamagedException(String message, @Nullable Throwable cause) {
        super(message, cause);
        row = null;
    }

    private MetaDamagedException(MetaKey row, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.row = row;
    }

    /** The row does not match its checksum. */
    public static MetaDamagedException checksum(MetaKey row) {
        return of(row, "does not match its checksum", null);
    }

    /** The row has impossible content. */
    public static MetaDamagedException of(MetaKey row, String what, @Nullable Throwable cause) {
        return new MetaDamagedException(row, "metadata corrupt: %s %s".formatted(KeyFacts.describe(row), what), cause);
    }

    /** The damaged row, if it is a row. */
    public Optional<MetaKey> row() {
        return Optional.ofNullable(row);
    }
}

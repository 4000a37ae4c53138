package volsh.block;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The store answers, but has no such block. */
public final class NoSuchBlockException extends IOException {
    private final @Nullable String stores;

    public NoSuchBlockException(BlockKey key) {
        this("no such block: " + key, null);
    }

    private NoSuchBlockException(String message, @Nullable String stores) {
        super(message);
        this.stores = stores;
    }

    /** The same with the names of the stores that should have it, if known. */
    public NoSuchBlockException in(String names) {
        var named = new NoSuchBlockException(getMessage() + " in " + names, names);
        named.initCause(this);
        return named;
    }

    /** The names of the stores that should have it, if known. */
    public Optional<String> stores() {
        return Optional.ofNullable(stores);
    }
}

package volsh.block;

import java.nio.file.Path;

/**
 * The directory of a store is missing: its disk is not mounted, or it was removed. Whether its blocks exist is unknown;
 * they do not count as missing.
 */
public final class MissingStoreException extends UnavailableException {
    private final String store;
    private final boolean whole;

    /** {@code part} is the directory of a volume below that of the store, or the latter itself. */
    public MissingStoreException(String store, Path root, Path part, boolean whole) {
        super(whole ? "store '%s' is missing: no such directory: %s (is its disk mounted?)".formatted(store, root)
                : "store '%s' has no data of the volume: no such directory: %s (is its disk mounted?)"
                .formatted(store, part), null);
        this.store = store;
        this.whole = whole;
    }

    /** Its name, or its URL if it has no name. */
    public String store() {
        return store;
    }

    /** Whether the whole store is missing; if not, only a volume's part of it. */
    public boolean isWhole() {
        return whole;
    }
}

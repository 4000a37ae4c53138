package volsh.block;

import java.nio.file.Path;

/**
 * The directory of a store is missing: its disk is not mounted, or somebody removed it. Nothing is known of the blocks there; they are not
 * missing.
 */
public final class MissingStoreException extends UnavailableException {
    private final String store;
    private final boolean whole;

    /** {@code part} is the directory of a volume below that of the store, or the latter itself. */
    public MissingStoreException(String store, Path root, Path part, boolean whole) {
        super(whole ? "store '%s' is missing: there is no directory %s (is its disk mounted?)".formatted(store, root)
                : "store '%s' has no data of the volume: there is no directory %s (is its disk mounted?)".formatted(store, part), null);
        this.store = store;
        this.whole = whole;
    }

    /** Its name, or its URL where nobody has named it. */
    public String store() {
        return store;
    }

    /** Whether the store is missing; if not, only a volume's part of it. */
    public boolean isWhole() {
        return whole;
    }
}

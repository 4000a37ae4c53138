package volsh.tree;

import java.io.IOException;

/** No store has this name. */
public final class NoSuchStoreException extends IOException {
    private static final long serialVersionUID = 1;

    private final String store;

    NoSuchStoreException(String store) {
        super("no such store: '%s'".formatted(store));
        this.store = store;
    }

    public String store() {
        return store;
    }
}

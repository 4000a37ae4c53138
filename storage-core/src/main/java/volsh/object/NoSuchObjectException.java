package volsh.object;

import java.io.IOException;

/** There is no object of this key. */
public final class NoSuchObjectException extends IOException {
    private static final long serialVersionUID = 1;

    private final String key;

    public NoSuchObjectException(String store, String key) {
        super("no such object: %s/%s".formatted(store, key));
        this.key = key;
    }

    public String key() {
        return key;
    }
}

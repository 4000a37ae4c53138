package volsh.object;

import java.io.IOException;

/** The object is in another state than was expected. */
public final class ObjectChangedException extends IOException {
    private static final long serialVersionUID = 1;

    private final String key;

    public ObjectChangedException(String store, String key, String expected) {
        super("%s/%s changed in the bucket: it is no longer the object with ETag %s".formatted(store, key, expected));
        this.key = key;
    }

    /** It ends before this byte, which the caller took for a part of it. */
    public ObjectChangedException(String store, String key, long end) {
        super("%s/%s changed in the bucket: it ends before byte %d".formatted(store, key, end));
        this.key = key;
    }

    public String key() {
        return key;
    }
}

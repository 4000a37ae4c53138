package volsh.engine;

import java.io.IOException;

/** A key that the transaction held was deleted by another: nothing was written. */
public final class HeldKeyMissingException extends IOException {
    private final transient MetaKey key;

    public HeldKeyMissingException(MetaKey key) {
        super("a held key was deleted: " + key);
        this.key = key;
    }

    public MetaKey key() {
        return key;
    }
}

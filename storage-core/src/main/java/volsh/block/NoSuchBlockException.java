package volsh.block;

import java.io.IOException;

/** The store answers, and it has no such block. */
public final class NoSuchBlockException extends IOException {
    public NoSuchBlockException(BlockKey key) {
        super("no such block: " + key);
    }
}

package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A store that can decide a race: of several writers of different bytes under one key, exactly one succeeds. The basis
 * of fencing and claims.
 */
public interface PutsOnce {
    /** The store as one that decides races. @throws RefusedException if it cannot */
    static PutsOnce of(BlockStore store) throws RefusedException {
        if (store instanceof PutsOnce once) {
            return once;
        }
        throw new RefusedException(RefusedException.Reason.WRONG_SETTINGS,
                "this store does not support conditional writes");
    }

    /**
     * Stores the remaining bytes of {@code data}, whose position is left as it was, unless the key holds other bytes.
     *
     * @return whether the key now holds these very bytes; so a call whose answer was lost can be repeated
     */
    boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException;
}

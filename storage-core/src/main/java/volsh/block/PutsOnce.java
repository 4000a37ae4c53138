package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A store that can decide a race: of all who put different bytes under one key this way, one succeeds. What fencing and
 * claims are made of.
 */
public interface PutsOnce {
    /** The store as one that decides races. @throws RefusedException if it cannot */
    static PutsOnce of(BlockStore store) throws RefusedException {
        if (store instanceof PutsOnce once) {
            return once;
        }
        throw new RefusedException(RefusedException.Reason.WRONG_SETTINGS, "this store cannot put an object only where there is none");
    }

    /**
     * Stores the remaining bytes of {@code data}, whose position is left as it was, unless the key holds others.
     *
     * @return whether the key now holds these very bytes; so a call whose answer was lost may be repeated
     */
    boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException;
}

package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A store that can decide a race: of all who put different bytes under one key this way, one succeeds. What fencing and
 * claims are made of.
 */
public interface PutsOnce {
    /**
     * Stores the remaining bytes of {@code data}, whose position is left as it was, unless the key holds others.
     *
     * @return whether the key now holds these very bytes; so a call whose answer was lost may be repeated
     */
    boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException;
}

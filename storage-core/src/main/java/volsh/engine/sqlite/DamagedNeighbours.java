package volsh.engine.sqlite;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import volsh.engine.KeyFacts;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaKey;
import volsh.engine.RowChecksum;

/**
 * Checks rows next to {@code [from, to)} of which one does not match its checksum: could it hide a row of that range?
 * Either its value was changed, and then it is another row and hides nothing; or its key was. A changed key that
 * misleads searches is out of order among the rows around it. One that is in order hides at most its own row: then the
 * checksum matches under a key of the range.
 *
 * <p>Tries keys of the range that differ in one byte, and {@code from} itself. Other damage to a key (truncated by a
 * changed length, not a key of the schema) counts as hiding.
 */
final class DamagedNeighbours {
    /** How many consecutive damaged rows are checked in search of an intact one. */
    static final int ROWS_MAX = 64;

    private final MetaKey from;
    private final MetaKey to;
    private byte[] lowest;    // of the rows before
    private byte @Nullable [] highest;   // of the rows after

    DamagedNeighbours(MetaKey from, MetaKey to) {
        this.from = from;
        this.to = to;
        this.lowest = from.bytes();
    }

    /** Adds the row before the previous ones: true if it is intact, so that earlier ones do not matter. */
    boolean before(byte @Nullable [] key, byte[] stored) throws MetaDamagedException {
        if (key == null || Arrays.compareUnsigned(key, lowest) >= 0) {
            throw RowTable.damaged(key);
        }
        lowest = key;
        return isSoundOrHarmless(key, stored);
    }

    /** Adds the row after the previous ones: true if it is intact, so that later ones do not matter. */
    boolean behind(byte @Nullable [] key, byte[] stored) throws MetaDamagedException {
        if (key == null || Arrays.compareUnsigned(key, to.bytes()) < 0
                || highest != null && Arrays.compareUnsigned(key, highest) <= 0) {
            throw RowTable.damaged(key);
        }
        highest = key;
        return isSoundOrHarmless(key, stored);
    }

    private boolean isSoundOrHarmless(byte[] key, byte[] stored) throws MetaDamagedException {
        if (RowChecksum.isSound(key, stored)) {
            return true;
        }
        if (mayHide(key, stored)) {
            throw RowTable.damaged(key);
        }
        return false;
    }

    private boolean mayHide(byte[] key, byte[] stored) {
        boolean isKey = key.length > 0 && key.length <= MetaKey.LENGTH_MAX && KeyFacts.isPossible(MetaKey.of(key));
        return !isKey || isCutOff(key) || RowChecksum.isSound(from.bytes(), stored) || isOfRange(key, stored);
    }

    /** A changed length leaves the beginning of a key. */
    private boolean isCutOff(byte[] key) {
        byte[] wanted = from.bytes();
        return wanted.length > key.length && Arrays.equals(wanted, 0, key.length, key, 0, key.length);
    }

    private boolean isOfRange(byte[] key, byte[] stored) {
        byte[] tried = key.clone();
        for (int at = 0; at < key.length; at++) {
            for (int other = 1; other < 256; other++) {
                tried[at] = (byte) (key[at] ^ other);
                boolean inRange = Arrays.compareUnsigned(tried, from.bytes()) >= 0
                        && Arrays.compareUnsigned(tried, to.bytes()) < 0;
                if (inRange && RowChecksum.isSound(tried, stored)) {
                    return true;
                }
            }
            tried[at] = key[at];
        }
        return false;
    }
}

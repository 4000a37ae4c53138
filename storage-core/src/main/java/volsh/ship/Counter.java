package volsh.ship;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaDamagedException;

/**
 * The row that numbers the changes. Every recorded transaction writes it.
 *
 * @param on       whether changes are recorded at all
 * @param fenced   whether another host has taken the volume over, so that nothing may change here any more
 * @param untold   whether rows that are shipped {@link volsh.engine.KeyFacts.Reach#LATER later} have changed since the
 * last change
 * @param last     the number of the last recorded change
 * @param bytes    total length of all write sets since the beginning
 */
record Counter(boolean on, boolean fenced, boolean untold, long last, long bytes) {
    private static final int LENGTH = 18;
    private static final byte FORMAT = 1;

    /** The counter of a volume that never recorded anything. */
    static final Counter NONE = new Counter(false, false, false, 0, 0);

    Counter next(int length) {
        return new Counter(on, fenced, false, last + 1, bytes + length);
    }

    Counter withUntold() {
        return new Counter(on, fenced, true, last, bytes);
    }

    Counter switched(boolean newOn) {
        return new Counter(newOn, fenced, untold, last, bytes);
    }

    Counter withFence() {
        return new Counter(on, true, untold, last, bytes);
    }

    byte[] toBytes() {
        int flags = (on ? 1 : 0) | (fenced ? 2 : 0) | (untold ? 4 : 0);
        return ByteBuffer.allocate(LENGTH).put(FORMAT).put((byte) flags).putLong(last).putLong(bytes).array();
    }

    /** {@code row} is null if there is none. */
    static Counter parse(byte @Nullable [] row) throws IOException {
        if (row == null) {
            return NONE;
        }
        if (row.length != LENGTH || row[0] != FORMAT) {
            throw new MetaDamagedException("metadata corrupt: the counter of the change log cannot be read");
        }
        var in = ByteBuffer.wrap(row);
        return new Counter((row[1] & 1) != 0, (row[1] & 2) != 0, (row[1] & 4) != 0, in.getLong(2), in.getLong(10));
    }
}

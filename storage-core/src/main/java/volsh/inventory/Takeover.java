package volsh.inventory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaKey;
import volsh.meta.Sessions;

/**
 * The changes needed before a volume that was rebuilt from an older state may be written: its last writer may have used
 * numbers since that this state does not know, and that must never be used again.
 */
public final class Takeover {
    /** Objects are named after block ids: using one twice would return another block's bytes. */
    private static final long BLOCKS = 1L << 40;
    private static final long INODES = 1L << 28;
    private static final long SESSIONS = 1L << 20;

    private Takeover() {}

    /** The rows to write. */
    public static List<Entry> rows(MetaEngine.Transaction tx, Instant now) throws IOException {
        return List.of(
                counter(tx, Keys.NEXT_BLOCK, BLOCKS),
                counter(tx, Keys.NEXT_INODE, INODES),
                counter(tx, Keys.NEXT_SESSION, SESSIONS),
                new Entry(Keys.TICK, bytes(Math.max(number(tx, Keys.TICK), now.getEpochSecond()))));
    }

    /** Whether its destruction has begun. */
    public static boolean isRetired(MetaEngine.Transaction tx) throws IOException {
        return tx.get(Sessions.RETIRED) != null;
    }

    private static Entry counter(MetaEngine.Transaction tx, MetaKey key, long skipped) throws IOException {
        return new Entry(key, bytes(number(tx, key) + skipped));
    }

    private static long number(MetaEngine.Transaction tx, MetaKey key) throws IOException {
        byte[] row = tx.get(key);
        return row == null ? 2 : ByteBuffer.wrap(row).getLong();
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }
}

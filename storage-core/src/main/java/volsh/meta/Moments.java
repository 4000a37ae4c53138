package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.history.Purge;

/**
 * Knows which past states can be read, and registers their readers. Only ticks that are over can be read: nothing will
 * be written in them again. Of those, the pinned ones can be read, and if a window is kept, those within the window
 * since history is complete.
 *
 * <p>A reader of a past tick records it in a row of its session and pins the tick: what it reads stays, whatever
 * happens to snapshot and window meanwhile. The session's low-water still advances: what dies now did not exist then,
 * or is named by history. {@link Purge} removes row and pin of readers that were killed.
 */
public final class Moments {
    /** Every tick from this one on can be read, as far as the window goes. */
    public static final MetaKey COMPLETE_SINCE = Keys.setting("history");

    private static final int READERS = 200;

    private final MetaEngine engine;
    private final InstantSource clock;

    public Moments(MetaEngine engine, InstantSource clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /** The first tick from which every one can be read now; empty if only snapshots can. */
    public OptionalLong earliest() throws IOException {
        return engine.read(tx -> earliest(tx, Math.max(running(tx), clock.instant().getEpochSecond())));
    }

    /**
     * Makes the session a reader of {@code tick}, which is over then and stays readable until it {@link #leave leaves}.
     *
     * @throws NoSuchMomentException if the tick is in the future, or was not kept
     */
    public void enter(long session, long tick) throws IOException {
        engine.transact(tx -> {
            long running = new Edit(tx, clock.instant(), 0).tick();
            var retained = Retained.parse(tx.get(Keys.RETAINED));
            var earliest = earliest(tx, running);
            boolean kept = retained.isPinned(tick) || earliest.isPresent() && tick >= earliest.getAsLong();
            if (tick > running || !kept) {
                throw new NoSuchMomentException(tick, running, earliest);
            }
            if (tick == running) {
                close(tx, clock);
            }
            read(tx, session, tick);
            return null;
        });
    }

    /** Closes the running tick and makes the session a reader of it: everything committed so far. Returns the tick. */
    public long enterNow(long session) throws IOException {
        return engine.transact(tx -> {
            long tick = close(tx, clock);
            read(tx, session, tick);
            return tick;
        });
    }

    private static void read(MetaEngine.Transaction tx, long session, long tick) throws IOException {
        tx.hold(Keys.session(session));
        tx.put(Keys.reader(tick, session), new byte[0]);
        tx.put(Keys.RETAINED, pinned(tx, tick));
    }

    /** The retention row with this tick pinned. @throws FsException NO_SPACE if there are too many pins for one row */
    public static byte[] pinned(MetaEngine.Transaction tx, long tick) throws IOException {
        byte[] row = Retained.parse(tx.get(Keys.RETAINED)).withPin(tick).toBytes();
        if (row.length > MetaEngine.VALUE_MAX) {
            throw new FsException(FsError.NO_SPACE, ("too many snapshots: a volume keeps at most %d snapshots and past "
                    + "states in use").formatted(MetaEngine.VALUE_MAX / Long.BYTES - 1));
        }
        return row;
    }

    /** Ends reading of {@code tick}: it is unpinned unless another session reads it or a snapshot names it. */
    public void leave(long session, long tick) throws IOException {
        engine.transactFreeing(tx -> {
            tx.delete(Keys.reader(tick, session));
            if (!isRead(tx, tick) && tx.get(Keys.snapshotTick(tick)) == null) {
                unpin(tx, tick);
            }
            return null;
        });
    }

    /** The newest readable tick at which a version that was current in {@code [since, end)} can be seen. */
    public static OptionalLong newestShowing(MetaEngine.Transaction tx, long since, long end, long running)
            throws IOException {
        var earliest = earliest(tx, running);
        if (earliest.isPresent() && end - 1 >= earliest.getAsLong()) {
            return OptionalLong.of(end - 1);
        }
        var retained = Retained.parse(tx.get(Keys.RETAINED));
        for (int i = retained.pins().length - 1; i >= 0; i--) {
            long pin = retained.pins()[i];
            if (since <= pin && pin < end) {
                return OptionalLong.of(pin);
            }
        }
        return OptionalLong.empty();
    }

    public static OptionalLong earliest(MetaEngine.Transaction tx, long running) throws IOException {
        var retained = Retained.parse(tx.get(Keys.RETAINED));
        byte[] since = tx.get(COMPLETE_SINCE);
        return retained.window() == 0 || since == null ? OptionalLong.empty()
                : OptionalLong.of(Math.max(ByteBuffer.wrap(since).getLong(), retained.windowStart(running)));
    }

    public static void completeSince(MetaEngine.Transaction tx, long tick) throws IOException {
        tx.put(COMPLETE_SINCE, ByteBuffer.allocate(Long.BYTES).putLong(tick).array());
    }

    public static long running(MetaEngine.Transaction tx) throws IOException {
        return Optional.ofNullable(tx.get(Keys.TICK)).map(row -> ByteBuffer.wrap(row).getLong()).orElse(0L);
    }

    /** Closes the running tick and returns it: later commits belong to a later tick. */
    public static long close(MetaEngine.Transaction tx, InstantSource clock) throws IOException {
        long closed = new Edit(tx, clock.instant(), 0).tick();
        tx.put(Keys.TICK, ByteBuffer.allocate(Long.BYTES).putLong(closed + 1).array());
        return closed;
    }

    /** Whether a session reads the tick. */
    public static boolean isRead(MetaEngine.Transaction tx, long tick) throws IOException {
        for (var from = Keys.readers(tick); from != null; ) {
            if (tx.room() < 2 * READERS) {
                return true;   // too many rows to check here: purging checks them all
            }
            var page = tx.scan(from, Keys.readers(tick).afterPrefix(), READERS);
            if (!tx.getAll(page.stream().map(row -> Keys.session(Keys.readerSession(row.key()))).toList()).isEmpty()) {
                return true;
            }
            from = page.size() < READERS ? null : page.getLast().key().next();
        }
        return false;
    }

    public static void unpin(MetaEngine.Transaction tx, long tick) throws IOException {
        tx.put(Keys.RETAINED, Retained.parse(tx.get(Keys.RETAINED)).withoutPin(tick).toBytes());
    }
}

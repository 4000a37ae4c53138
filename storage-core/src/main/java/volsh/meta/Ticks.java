package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;

/**
 * The clock of the name space: seconds since the epoch that never run backwards. What was current at a retained tick
 * (within the window, or pinned) stays readable after it changed.
 */
public final class Ticks {
    private static final long LAST = Instant.MAX.getEpochSecond();

    /** Returns the tick. @throws IllegalArgumentException if it is out of range */
    public static long possible(long tick) {
        if (!isPossible(tick)) {
            throw new IllegalArgumentException("invalid tick: %d is not a second since 1970".formatted(tick));
        }
        return tick;
    }

    public static boolean isPossible(long tick) {
        return tick >= 0 && tick <= LAST;
    }

    private final MetaEngine engine;
    private final InstantSource clock;

    public Ticks(MetaEngine engine, InstantSource clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /** Keeps versions that were current within the last {@code seconds}; 0 keeps none but the pinned, -1 all. */
    public void retain(long seconds) throws IOException {
        engine.transactFreeing(tx -> {   // allowed on a full disk: keeping less frees space, keeping more takes none
            retain(new Edit(tx, clock.instant(), 0), seconds);
            return null;
        });
    }

    /** The same as a part of a larger change. */
    public static void retain(Edit edit, long seconds) throws IOException {
        var before = Retained.parse(edit.tx.get(Keys.RETAINED));
        edit.tx.put(Keys.RETAINED, before.withWindow(seconds).toBytes());
        if (seconds == 0) {
            edit.tx.delete(Moments.COMPLETE_SINCE);
        } else if (before.window() == 0) {
            Moments.completeSince(edit.tx, edit.tick());
        }
    }

    /** For how many seconds versions are kept; -1 means forever. */
    public long retained() throws IOException {
        return engine.read(tx -> Retained.parse(tx.get(Keys.RETAINED)).window());
    }

    /** Closes the running tick and pins it: everything committed so far stays readable as of the tick returned. */
    public long pin() throws IOException {
        return engine.transact(tx -> {
            long closed = new Edit(tx, clock.instant(), 0).tick();
            tx.put(Keys.TICK, ByteBuffer.allocate(8).putLong(closed + 1).array());
            tx.put(Keys.RETAINED, Retained.parse(tx.get(Keys.RETAINED)).withPin(closed).toBytes());
            return closed;
        });
    }

    public void unpin(long tick) throws IOException {
        change(retained -> retained.withoutPin(tick));
    }

    /** Begins the tick of this second unless it has begun, and returns it: no later change has an earlier tick. */
    public long advance() throws IOException {
        return engine.transactFreeing(tx -> new Edit(tx, clock.instant(), 0).tick());
    }

    private interface Change {
        Retained of(Retained retained);
    }

    private void change(Change change) throws IOException {
        engine.transactFreeing(tx -> {
            tx.put(Keys.RETAINED, change.of(Retained.parse(tx.get(Keys.RETAINED))).toBytes());
            return null;
        });
    }

    /** A version that is no longer current: visible at every tick of {@code [since, end)}. */
    record Version(long since, long end, byte[] content) {}

    /** The kept versions of a name-space key, oldest first. */
    List<Version> history(MetaKey key) throws IOException {
        return engine.read(tx -> {
            var versions = new ArrayList<Version>();
            for (var row : tx.scan(Keys.history(key, 0), Keys.history(key, Long.MAX_VALUE), 500)) {
                long end = ByteBuffer.wrap(row.key().bytes()).getLong(row.key().bytes().length - 8);
                versions.add(new Version(ByteBuffer.wrap(row.value()).getLong(), end,
                        View.bytes(View.content(row.value()))));
            }
            return versions;
        });
    }
}

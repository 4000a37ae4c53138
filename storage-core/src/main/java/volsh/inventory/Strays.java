package volsh.inventory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.meta.View;

/** Finds blocks that a store has but no row names: left by uploads that were never committed. */
public final class Strays {
    /** How many blocks are checked together. */
    public static final int PAGE = 200;

    /** How many blocks to read for a mere display of what waits. */
    public static final int ENOUGH = 10_000;

    private static final int DEAD = 500;

    private final MetaEngine engine;

    public Strays(MetaEngine engine) {
        this.engine = engine;
    }

    /** Blocks without a row: the {@code unknown} ones will never be named; the {@code spared} ones still may be. */
    public record Found(Set<Long> unknown, Set<Long> spared) {}

    /** A block may still be named if a session owns its number, or its number is not assigned yet in this metadata. */
    public Found among(Collection<Long> blocks) throws IOException {
        return engine.read(tx -> {
            var rows = tx.getAll(blocks.stream().map(Keys::block).toList());
            byte[] next = tx.get(Keys.NEXT_BLOCK);
            long given = next == null ? 0 : ByteBuffer.wrap(next).getLong();
            var sessions = Sessions.all(tx);
            var unknown = new HashSet<Long>();
            var spared = new HashSet<Long>();
            for (long block : blocks) {
                if (!rows.containsKey(Keys.block(block))) {
                    boolean owned = block >= given || sessions.stream().anyMatch(session -> session.owns(block));
                    (owned ? spared : unknown).add(block);
                }
            }
            return new Found(unknown, spared);
        });
    }

    /**
     * Blocks of removed files that wait to be deleted, the oldest since {@code since}.
     *
     * @param more whether there are more of them, which were not counted
     * @param counted bytes of them that {@link VolumeUsage#storedBytes} still counts: their files are unlinked and not
     *                freed yet
     */
    public record Waiting(long blocks, long bytes, Optional<Instant> since, boolean more, long counted) {
        public static final Waiting NOTHING = new Waiting(0, 0, Optional.empty(), false, 0);

        Waiting withMore(boolean unseen) {
            return new Waiting(blocks, bytes, since, more || unseen, counted);
        }

        Waiting plus(Waiting other) {
            var oldest = Stream.concat(since.stream(), other.since.stream()).min(Comparator.naturalOrder());
            return new Waiting(blocks + other.blocks, bytes + other.bytes, oldest, more || other.more,
                    counted + other.counted);
        }
    }

    /**
     * What was removed and waits to be deleted, including files unlinked a moment ago. Reads about {@code most} rows of
     * each kind.
     */
    public Waiting waiting(int most) throws IOException {
        return dead(most).plus(new UnlinkedBlocks(engine, most).count());
    }

    /** The sessions that keep something from being deleted: they have it open, or have not reported otherwise. */
    public List<Session> holders() throws IOException {
        return engine.read(tx -> {
            var holders = new ArrayList<Session>();
            for (var session : Sessions.all(tx)) {
                if (waitsFor(tx, 'o', Keys.orphan(session.lowWater(), 0))
                        || waitsFor(tx, 'd', Keys.dead(session.lowWater(), 0))) {
                    holders.add(session);
                }
            }
            return holders;
        });
    }

    private static boolean waitsFor(MetaEngine.Transaction tx, char kind, MetaKey from) throws IOException {
        return !tx.scan(from, Keys.kind(kind).afterPrefix(), 1).isEmpty();
    }

    private Waiting dead(int most) throws IOException {
        long blocks = 0;
        long bytes = 0;
        Optional<Instant> since = Optional.empty();
        for (var from = Keys.kind('d'); from != null; ) {
            if (blocks >= most) {
                return new Waiting(blocks, bytes, since, true, 0);
            }
            var start = from;
            var page = engine.read(tx -> dead(tx, start));
            if (since.isEmpty() && !page.isEmpty()) {
                since = Optional.of(Instant.ofEpochSecond(page.getFirst().tick()));
            }
            blocks += page.size();
            bytes += page.stream().mapToLong(Dead::bytes).sum();
            from = page.size() < DEAD ? null : page.getLast().key().next();
        }
        return new Waiting(blocks, bytes, since, false, 0);
    }

    private record Dead(MetaKey key, long tick, long bytes) {}

    private static List<Dead> dead(MetaEngine.Transaction tx, MetaKey from) throws IOException {
        var rows = tx.scan(from, Keys.kind('d').afterPrefix(), DEAD);
        var blocks = tx.getAll(rows.stream().map(row -> Keys.block(Keys.number(row.key(), 1))).toList());
        return rows.stream().map(row -> {
            long id = Keys.number(row.key(), 1);
            byte[] block = blocks.get(Keys.block(id));   // a missing row is reported by a check
            return new Dead(row.key(), Keys.number(row.key(), 0),
                    block == null ? 0 : View.parseBlock(id, block).ownBytes());
        }).toList();
    }
}

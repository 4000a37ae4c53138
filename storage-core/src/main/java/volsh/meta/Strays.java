package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** Blocks that a store has and no row names: what uploads left that were never committed. */
public final class Strays {
    /** So many are looked at together. */
    public static final int PAGE = 200;

    private static final int DEAD = 500;

    private final MetaEngine engine;

    public Strays(MetaEngine engine) {
        this.engine = engine;
    }

    /** Of some blocks those without a row: nobody will ever name the {@code unknown} ones; the {@code spared} ones somebody may. */
    public record Found(Set<Long> unknown, Set<Long> spared) {}

    /** Somebody may name a block whose number his session owns, and one whose number these metadata have not given out yet. */
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

    /** Blocks that are dead and wait to be deleted. */
    public record Waiting(long blocks, long bytes) {}

    public Waiting waiting() throws IOException {
        long blocks = 0;
        long bytes = 0;
        for (var from = Keys.kind('d'); from != null; ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, Keys.kind('d').afterPrefix(), DEAD));
            for (var row : page) {
                blocks++;
                bytes += engine.read(tx -> new View(tx).block(Keys.number(row.key(), 1)).storedSize());
            }
            from = page.size() < DEAD ? null : page.getLast().key().next();
        }
        return new Waiting(blocks, bytes);
    }
}

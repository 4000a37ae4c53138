package volsh.inventory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.fs.BlockRow;
import volsh.meta.Sessions;
import volsh.meta.View;

/**
 * The blocks that are not objects of their own but share one, a pack. A block without a row here is an object. A pack
 * is announced before it is stored, so that what a killed process leaves of it can be found; its blocks are placed in
 * it after that. When the last of them is removed it is empty, and may be deleted, then forgotten. An announced pack is
 * claimed before it is deleted: from then on no block can be placed in it, so it does not matter if its maker is still
 * alive.
 *
 * <pre>
 *   announced ──▶ has blocks ──▶ empty ──▶ claimed ──▶ forgotten
 *       └────────────────────────────────────▲
 * </pre>
 */
public final class Packs {
    /** The most blocks that may be placed or removed at a time. */
    public static final int BLOCKS_MAX = 200;

    private static final int PAGE = 500;
    private static final long ANNOUNCED = -1;
    private static final long CLAIMED = -2;

    private final MetaEngine engine;

    public Packs(MetaEngine engine) {
        this.engine = engine;
    }

    /** The place of a block. */
    public record Place(long pack, long offset, int length) {
        byte[] toBytes() {
            return ByteBuffer.allocate(20).putLong(pack).putLong(offset).putInt(length).array();
        }

        public static Place parse(byte[] row) {
            var bytes = ByteBuffer.wrap(row);
            return new Place(bytes.getLong(), bytes.getLong(), bytes.getInt());
        }
    }

    /** A pack with {@code blocks} blocks, from this journal. */
    private record Row(UUID journal, long blocks) {
        byte[] toBytes() {
            return ByteBuffer.allocate(24).putLong(journal.getMostSignificantBits())
                    .putLong(journal.getLeastSignificantBits()).putLong(blocks).array();
        }

        static Row parse(byte[] row) {
            var bytes = ByteBuffer.wrap(row);
            return new Row(new UUID(bytes.getLong(), bytes.getLong()), bytes.getLong());
        }
    }

    /** Announces a new pack, with a number that no block or pack has had. */
    public long announce(UUID journal) throws IOException {
        return engine.transact(tx -> {
            byte[] row = tx.get(Keys.NEXT_BLOCK);
            long id = row == null ? 2 : ByteBuffer.wrap(row).getLong();
            tx.put(Keys.NEXT_BLOCK, ByteBuffer.allocate(Long.BYTES).putLong(id + 1).array());
            tx.put(Keys.pack(id), new Row(journal, ANNOUNCED).toBytes());
            return id;
        });
    }

    /** Records that the pack is stored and contains these blocks. Survives power loss when this returns. */
    public void place(long pack, Map<Long, Place> blocks) throws IOException {
        engine.transact(tx -> {
            var announced = requireAnnounced(tx, pack);
            for (var each : blocks.entrySet()) {
                takeOut(tx, each.getKey());   // from an earlier pack
                tx.put(Keys.place(each.getKey()), each.getValue().toBytes());
            }
            tx.put(Keys.pack(pack), new Row(announced.journal(), blocks.size()).toBytes());
            return null;
        });
        engine.sync();
    }

    private static Row requireAnnounced(MetaEngine.Transaction tx, long pack) throws IOException {
        var row = row(tx, pack);
        if (row.blocks() != ANNOUNCED) {
            throw new IOException(("pack %016x was claimed by garbage collection as the leftover of a dead "
                    + "process; retry").formatted(pack));
        }
        return row;
    }

    /** A block, its current place, and its new place. */
    public record Move(long block, Place from, Place to) {}

    /**
     * Records that the pack is stored and has copies of these blocks, at most {@link #BLOCKS_MAX}: each is now there,
     * unless it was deleted or moved meanwhile. Returns the moved blocks; survives power loss when this returns.
     */
    public List<Long> move(long pack, List<Move> moves) throws IOException {
        var moved = engine.transact(tx -> {
            var announced = requireAnnounced(tx, pack);
            var done = new ArrayList<Long>();
            for (var each : moves) {
                byte[] row = tx.get(Keys.place(each.block()));
                if (row != null && Place.parse(row).equals(each.from())) {
                    takeOut(tx, each.block());
                    tx.put(Keys.place(each.block()), each.to().toBytes());
                    done.add(each.block());
                }
            }
            tx.put(Keys.pack(pack), new Row(announced.journal(), done.size()).toBytes());
            return done;
        });
        engine.sync();
        return moved;
    }

    /**
     * Records that the block is stored by itself, in this layout, and is in no pack any more; false, with nothing
     * changed, if it was deleted or moved meanwhile. Survives power loss when this returns.
     */
    public boolean release(long block, Place from, int layout) throws IOException {
        boolean released = engine.transact(tx -> {
            byte[] place = tx.get(Keys.place(block));
            byte[] bytes = tx.get(Keys.block(block));
            if (place == null || bytes == null || !Place.parse(place).equals(from) || PlaceRows.isDead(tx, block)) {
                return false;
            }
            takeOut(tx, block);
            var row = View.parseBlock(block, bytes);
            tx.put(Keys.block(block), View.blockRow(new BlockRow(block, row.rawSize(), row.storedSize(), layout,
                    row.owner(), row.index())));
            return true;
        });
        engine.sync();
        return released;
    }

    /** Removes a block from its pack, if it is in one. */
    private static void takeOut(MetaEngine.Transaction tx, long block) throws IOException {
        byte[] row = tx.get(Keys.place(block));
        if (row != null) {
            long pack = Place.parse(row).pack();
            var before = row(tx, pack);
            tx.put(Keys.pack(pack), new Row(before.journal(), before.blocks() - 1).toBytes());
            tx.delete(Keys.place(block));
        }
    }

    private static Row row(MetaEngine.Transaction tx, long pack) throws IOException {
        byte[] row = tx.get(Keys.pack(pack));
        if (row == null) {
            throw new MetaDamagedException("metadata corrupt: no row for pack %016x".formatted(pack));
        }
        return Row.parse(row);
    }

    public Optional<Place> find(long block) throws IOException {
        return engine.read(tx -> Optional.ofNullable(tx.get(Keys.place(block))).map(Place::parse));
    }

    /** Removes these blocks, at most {@link #BLOCKS_MAX}; returns the packs that are empty now. */
    public List<Long> remove(Collection<Long> blocks) throws IOException {
        var placed = engine.read(tx -> {
            var packs = new HashMap<Long, Long>();
            for (long block : blocks) {
                byte[] row = tx.get(Keys.place(block));
                if (row != null) {
                    packs.put(block, Place.parse(row).pack());
                }
            }
            return packs;
        });
        if (placed.isEmpty()) {
            return List.of();
        }
        return engine.transactFreeing(tx -> {
            for (long block : placed.keySet()) {
                takeOut(tx, block);
            }
            var empty = new ArrayList<Long>();
            for (long pack : placed.values().stream().distinct().sorted().toList()) {
                if (row(tx, pack).blocks() == 0) {
                    empty.add(pack);
                }
            }
            return empty;
        });
    }

    /** Whether any block is in a pack. */
    public boolean any() throws IOException {
        return engine.read(tx -> !tx.scan(Keys.kind('P'), Keys.kind('P').afterPrefix(), 1).isEmpty());
    }

    /** Removes the rows of packs that are deleted from the store, at most {@link #BLOCKS_MAX}. */
    public void forget(Collection<Long> packs) throws IOException {
        if (packs.isEmpty()) {
            return;
        }
        engine.transactFreeing(tx -> {
            for (long pack : packs) {
                tx.delete(Keys.pack(pack));
            }
            return null;
        });
    }

    /** Says whether a process with this journal may still be storing its packs. */
    public interface Alive {
        boolean test(UUID journal) throws IOException;
    }

    /** Those of the packs that are empty. */
    public List<Long> empty(Collection<Long> some) throws IOException {
        return engine.read(tx -> {
            var empty = new ArrayList<Long>();
            for (long pack : some) {
                byte[] row = tx.get(Keys.pack(pack));
                if (row != null && Row.parse(row).blocks() == 0) {
                    empty.add(pack);
                }
            }
            return empty;
        });
    }

    /** Whether this pack may be deleted, then forgotten: it is empty, or announced but can no longer receive blocks. */
    public boolean claim(long pack) throws IOException {
        return !claim(List.of(pack)).isEmpty();
    }

    /** Those of these packs, at most {@link #BLOCKS_MAX}, that may be deleted. */
    public List<Long> claim(Collection<Long> packs) throws IOException {
        return engine.transactFreeing(tx -> {
            var claimed = new ArrayList<Long>();
            for (long pack : packs) {
                byte[] found = tx.get(Keys.pack(pack));
                if (found != null && Row.parse(found).blocks() <= 0) {
                    tx.put(Keys.pack(pack), new Row(Row.parse(found).journal(), CLAIMED).toBytes());
                    claimed.add(pack);
                }
            }
            return claimed;
        });
    }

    /** Receives the blocks in packs. */
    public interface Visitor {
        void found(long block, Place place) throws IOException;
    }

    /** Visits all blocks in packs, ordered by id, a page at a time. */
    public void visit(Visitor visitor) throws IOException {
        for (var from = Keys.kind('l'); from != null; ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, Keys.kind('l').afterPrefix(), PAGE));
            for (var entry : page) {
                visitor.found(Keys.number(entry.key(), 0), Place.parse(entry.value()));
            }
            from = page.size() < PAGE ? null : page.getLast().key().next();
        }
    }

    /** The rows of these blocks; none for a block that was never committed. */
    public Map<Long, BlockRow> rows(Collection<Long> blocks) throws IOException {
        return engine.read(tx -> {
            var rows = new HashMap<Long, BlockRow>();
            for (long block : blocks) {
                byte[] row = tx.get(Keys.block(block));
                if (row != null) {
                    rows.put(block, View.parseBlock(block, row));
                }
            }
            return rows;
        });
    }

    /** Those of the blocks that will never be committed: no row names them, and no session may write them. */
    public List<Long> lost(Collection<Long> blocks) throws IOException {
        return engine.read(tx -> {
            var sessions = Sessions.all(tx);
            var lost = new ArrayList<Long>();
            for (long block : blocks) {
                if (tx.get(Keys.block(block)) == null && sessions.stream().noneMatch(session -> session.owns(block))) {
                    lost.add(block);
                }
            }
            return lost;
        });
    }

    /** Packs that are not needed: empty ones, and those announced by a dead process. */
    public List<Long> left(Alive alive) throws IOException {
        var found = new ArrayList<Long>();
        var from = Keys.kind('P');
        while (true) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, Keys.kind('P').afterPrefix(), PAGE));
            for (var entry : page) {
                var row = Row.parse(entry.value());
                if (row.blocks() == 0 || row.blocks() == CLAIMED
                        || row.blocks() == ANNOUNCED && !alive.test(row.journal())) {
                    found.add(Keys.number(entry.key(), 0));
                }
            }
            if (page.size() < PAGE) {
                return found;
            }
            from = page.getLast().key().next();
        }
    }
}

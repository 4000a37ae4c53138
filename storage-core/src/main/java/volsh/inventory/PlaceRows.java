package volsh.inventory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.fs.BlockRow;
import volsh.meta.NodeRow;
import volsh.meta.Sessions;
import volsh.meta.View;

/**
 * The placement of blocks in the metadata: numbers of layouts, the layout of each block, and missing parts by store.
 * Numbers begin at 1 and mean the same text forever.
 */
public final class PlaceRows {
    private static final int PAGE = 400;

    private final MetaEngine engine;

    public PlaceRows(MetaEngine engine) {
        this.engine = engine;
    }

    // ---- layouts

    public Optional<String> layout(int number) throws IOException {
        return engine.read(tx -> Optional.ofNullable(tx.get(Keys.layout(number))).map(PlaceRows::text));
    }

    /** All numbers of arrangements: 0 for the first store, and those of texts that name stores. */
    public List<Integer> arrangements() throws IOException {
        var all = new ArrayList<>(List.of(0));
        for (var layout : engine.read(tx -> layouts(tx, 0))) {
            if (layout.text().contains(" on ")) {
                all.add(layout.number());
            }
        }
        return all;
    }

    /** The number of this layout; assigns one if it has none. */
    public int number(String layout) throws IOException {
        var known = engine.read(tx -> layouts(tx, 0));
        var found = find(known, layout);
        if (found.isPresent()) {
            return found.getAsInt();
        }
        int last = known.isEmpty() ? 0 : known.getLast().number();
        return engine.transact(tx -> {
            var since = layouts(tx, last);   // numbers only grow: those up to the last one cannot have changed
            var other = find(since, layout);
            if (other.isPresent()) {
                return other.getAsInt();
            }
            int number = (since.isEmpty() ? last : since.getLast().number()) + 1;
            tx.put(Keys.layout(number), layout.getBytes(StandardCharsets.UTF_8));
            return number;
        });
    }

    private record Numbered(int number, String text) {}

    /** All layouts with a greater number, in order. */
    private static List<Numbered> layouts(MetaEngine.Transaction tx, int after) throws IOException {
        var found = new ArrayList<Numbered>();
        for (var from = Keys.layout(after).next(); from != null; ) {
            var page = tx.scan(from, Keys.kind('z').afterPrefix(), PAGE);
            page.forEach(row -> found.add(new Numbered((int) Keys.number(row.key(), 0), text(row.value()))));
            from = page.size() < PAGE ? null : page.getLast().key().next();
        }
        return found;
    }

    private static OptionalInt find(List<Numbered> layouts, String text) {
        return layouts.stream().filter(layout -> layout.text().equals(text)).mapToInt(Numbered::number).findFirst();
    }

    private static String text(byte[] row) {
        return new String(row, StandardCharsets.UTF_8);
    }

    /** The number an inode has inherited or was given; 0 if none, or if it is gone. */
    public int ofInode(long ino) throws IOException {
        return engine.read(tx -> {
            var content = new View(tx).content(Keys.node(ino));
            return content == null ? 0 : NodeRow.parse(content).layout();
        });
    }

    // ---- blocks

    public Optional<BlockRow> block(long id) throws IOException {
        return engine.read(tx -> Optional.ofNullable(tx.get(Keys.block(id))).map(row -> View.parseBlock(id, row)));
    }

    /** The row of a readable block: neither dead nor still without a row. */
    public Optional<BlockRow> alive(long id) throws IOException {
        return engine.read(tx -> {
            byte[] row = tx.get(Keys.block(id));
            return row == null || isDead(tx, id) ? Optional.empty() : Optional.of(View.parseBlock(id, row));
        });
    }

    /** Blocks with an id greater than {@code after}, in order, except dead ones: some of them, or none at the end. */
    public List<BlockRow> blocks(long after) throws IOException {
        long from = after;
        while (true) {
            long start = from;
            var rows = engine.read(tx -> tx.scan(Keys.block(start + 1), Keys.kind('b').afterPrefix(), PAGE));
            if (rows.isEmpty()) {
                return List.of();
            }
            var ids = rows.stream().map(row -> Keys.number(row.key(), 0)).toList();
            var dead = engine.read(tx -> dead(tx, ids));
            var alive = new ArrayList<BlockRow>();
            for (var row : rows) {
                long id = Keys.number(row.key(), 0);
                if (!dead.contains(id)) {
                    alive.add(View.parseBlock(id, row.value()));
                }
            }
            if (!alive.isEmpty()) {
                return alive;
            }
            from = Keys.number(rows.getLast().key(), 0);
        }
    }

    /** At most {@code most} blocks with an id of at least {@code from}, in order, including dead ones. */
    public List<BlockRow> some(long from, int most) throws IOException {
        return engine.read(tx -> tx.scan(Keys.block(from), Keys.kind('b').afterPrefix(), most)).stream()
                .map(row -> View.parseBlock(Keys.number(row.key(), 0), row.value())).toList();
    }

    /** Whether one of the {@code most} oldest blocks has such a layout. */
    public boolean anyOldest(int most, IntPredicate layouts) throws IOException {
        long from = 0;
        for (int seen = 0; seen < most; seen += PAGE) {
            long start = from;
            var rows = engine.read(tx -> tx.scan(Keys.block(start + 1), Keys.kind('b').afterPrefix(), PAGE));
            for (var row : rows) {
                from = Keys.number(row.key(), 0);
                long id = from;
                if (layouts.test(View.parseBlock(id, row.value()).layout()) && !engine.read(tx -> isDead(tx, id))) {
                    return true;
                }
            }
            if (rows.size() < PAGE) {
                return false;
            }
        }
        return false;
    }

    static boolean isDead(MetaEngine.Transaction tx, long id) throws IOException {
        return isDead(tx.get(Keys.uses(id)));
    }

    private static boolean isDead(byte @Nullable [] uses) {
        return uses != null && ByteBuffer.wrap(uses).getLong() == 0;
    }

    /** The dead ones of these, in one round trip. */
    private static Set<Long> dead(MetaEngine.Transaction tx, Collection<Long> ids) throws IOException {
        var dead = new HashSet<Long>();
        tx.getAll(ids.stream().map(Keys::uses).toList()).forEach((key, uses) -> {
            if (isDead(uses)) {
                dead.add(Keys.number(key, 0));
            }
        });
        return dead;
    }

    /** Records that the block was moved, if it was in its old place and is not dead. */
    public boolean relocate(long id, int from, int to) throws IOException {
        return engine.transact(tx -> {
            byte[] bytes = tx.get(Keys.block(id));
            if (bytes == null || isDead(tx, id)) {
                return false;
            }
            var row = View.parseBlock(id, bytes);
            if (row.layout() != from) {
                return false;
            }
            tx.put(Keys.block(id),
                    View.blockRow(new BlockRow(id, row.rawSize(), row.storedSize(), to, row.owner(), row.index())));
            return true;
        });
    }

    // ---- missing parts

    /** A store lacks its part of a block. */
    public record Missing(int store, long block) {}

    public void missing(long block, Collection<Integer> stores) throws IOException {
        if (stores.isEmpty()) {
            return;
        }
        engine.transact(tx -> {
            for (int store : stores) {
                tx.put(Keys.missing(store, block), new byte[0]);
            }
            return null;
        });
    }

    /** Records that a store lacks its parts of all these blocks. */
    public void missing(int store, Collection<Long> blocks) throws IOException {
        if (blocks.isEmpty()) {
            return;
        }
        engine.transact(tx -> {
            for (long block : blocks) {
                tx.put(Keys.missing(store, block), new byte[0]);
            }
            return null;
        });
    }

    /**
     * Removes a block from the list that is dead or gone, or has this layout, which puts nothing in that store. A block
     * without a row stays while a session owns its number: a put records missing parts before the block's row.
     */
    public void dismiss(Missing missing, OptionalInt layout) throws IOException {
        // A session that does not own the number now never will: numbers are assigned once.
        boolean unowned = engine.read(Sessions::all).stream().noneMatch(session -> session.owns(missing.block()));
        engine.transactFreeing(tx -> {
            byte[] row = tx.get(Keys.block(missing.block()));
            boolean over;
            if (row == null) {
                over = unowned;
            } else {
                over = isDead(tx, missing.block())
                        || OptionalInt.of(View.parseBlock(missing.block(), row).layout()).equals(layout);
            }
            if (over) {
                tx.delete(Keys.missing(missing.store(), missing.block()));
            }
            return null;
        });
    }

    /** The number of missing parts of readable blocks. */
    public long countMissing() throws IOException {
        long count = 0;
        Missing last = null;
        for (var page = missing(last); !page.isEmpty(); page = missing(last)) {
            var some = page;
            count += engine.read(tx -> {
                var ids = some.stream().map(Missing::block).distinct().toList();
                var rows = tx.getAll(ids.stream().map(Keys::block).toList());
                var dead = dead(tx, ids);
                return some.stream().map(Missing::block)
                        .filter(id -> rows.containsKey(Keys.block(id)) && !dead.contains(id)).count();
            });
            last = page.getLast();
        }
        return count;
    }

    /** Whether one of these stores lacks its part of the block. */
    public boolean isMissing(long block, Collection<Integer> stores) throws IOException {
        return engine.read(tx -> {
            for (int store : stores) {
                if (tx.get(Keys.missing(store, block)) != null) {
                    return true;
                }
            }
            return false;
        });
    }

    public void found(long block, Collection<Integer> stores) throws IOException {
        var listed = engine.read(tx -> {
            var there = new ArrayList<Integer>();
            for (int store : stores) {
                if (tx.get(Keys.missing(store, block)) != null) {
                    there.add(store);
                }
            }
            return there;
        });
        if (!listed.isEmpty()) {
            engine.transact(tx -> {
                for (int store : listed) {
                    tx.delete(Keys.missing(store, block));
                }
                return null;
            });
        }
    }

    /** Missing parts after {@code after} (null: from the start), by store and block: some, or none at the end. */
    public List<Missing> missing(@Nullable Missing after) throws IOException {
        var from = after == null ? Keys.kind('m') : Keys.missing(after.store(), after.block()).next();
        return engine.read(tx -> tx.scan(from, Keys.kind('m').afterPrefix(), PAGE)).stream()
                .map(row -> new Missing((int) Keys.number(row.key(), 0), Keys.number(row.key(), 1)))
                .toList();
    }
}

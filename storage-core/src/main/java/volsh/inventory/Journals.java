package volsh.inventory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.meta.View;

/**
 * The journals with blocks that the store does not have yet. A row exists before the first block of its journal is
 * committed.
 */
public final class Journals {
    private static final int PAGE = 500;
    private static final int BATCH = 200;

    private final MetaEngine engine;

    public Journals(MetaEngine engine) {
        this.engine = engine;
    }

    /** Writes the row. It need not be synced: the sync of a block's commit includes it. */
    public void put(JournalRow row) throws IOException {
        engine.transact(tx -> {
            tx.put(Keys.journal(row.id()), row.toBytes());
            return null;
        });
    }

    /** Removes the row of an empty journal. */
    public void remove(UUID id) throws IOException {
        engine.transactFreeing(tx -> {
            tx.delete(Keys.journal(id));
            return null;
        });
    }

    public List<JournalRow> list() throws IOException {
        return engine.read(tx -> {
            var rows = new ArrayList<JournalRow>();
            for (var from = Keys.kind('p'); from != null; ) {
                var page = tx.scan(from, Keys.kind('p').afterPrefix(), PAGE);
                for (var row : page) {
                    rows.add(JournalRow.parse(id(row.key()), row.value()));
                }
                from = page.size() < PAGE ? null : page.getLast().key().next();
            }
            return rows;
        });
    }

    private static UUID id(MetaKey key) {
        var bytes = ByteBuffer.wrap(key.bytes(), 1, 16);
        return new UUID(bytes.getLong(), bytes.getLong());
    }

    /** Those of these blocks that have rows, with their layouts: others were never committed, or are deleted. */
    public Map<Long, Integer> named(Collection<Long> blocks) throws IOException {
        var named = new HashMap<Long, Integer>();
        var all = List.copyOf(blocks);
        for (int from = 0; from < all.size(); from += BATCH) {
            var batch = all.subList(from, Math.min(all.size(), from + BATCH));
            var found = engine.read(tx -> tx.getAll(batch.stream().map(Keys::block).toList()));
            found.forEach((key, row) -> {
                long id = Keys.number(key, 0);
                named.put(id, View.parseBlock(id, row).layout());
            });
        }
        return named;
    }
}

package volsh.upkeep.repair;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.inventory.Row;
import volsh.upkeep.Cursor;
import volsh.upkeep.Watcher;

/** Changes that are not written yet: reads see them, the volume does not. */
final class RepairDraft {
    private final MetaEngine engine;
    private final Map<MetaKey, RowChange> changes = new LinkedHashMap<>();

    RepairDraft(MetaEngine engine) {
        this.engine = engine;
    }

    /** The value, or null. */
    byte @Nullable [] value(MetaKey key) throws IOException {
        var change = changes.get(key);
        return change != null ? change.after() : engine.survey(tx -> tx.get(key));
    }

    /** The row, or null. */
    @Nullable Row row(MetaKey key) throws IOException {
        byte[] value = value(key);
        return value == null ? null : Row.of(new MetaEngine.Entry(key, value));
    }

    /** At most {@code limit} rows with this prefix, as the volume has them. */
    List<Row> scan(MetaKey prefix, int limit) throws IOException {
        return engine.survey(tx -> tx.scan(prefix, prefix.afterPrefix(), limit)).stream().map(Row::of).toList();
    }

    /** All rows with this prefix, a page at a time. */
    Cursor all(MetaKey prefix) {
        return new Cursor(engine, prefix, prefix.afterPrefix(), Watcher.NONE);
    }

    void put(Row row) throws IOException {
        set(row.entry().key(), row.entry().value());
    }

    void remove(MetaKey key) throws IOException {
        set(key, null);
    }

    private void set(MetaKey key, byte @Nullable [] value) throws IOException {
        var earlier = changes.get(key);
        if (earlier != null) {
            changes.put(key, new RowChange(key, earlier.before(), value, earlier.wasDamaged()));
            return;
        }
        var damaged = damaged(key);
        changes.put(key, new RowChange(key, damaged != null ? damaged : value(key), value, damaged != null));
    }

    /** Whether there is an unreadable row that stays so far. */
    boolean isDamaged(MetaKey key) throws IOException {
        return !changes.containsKey(key) && (damaged(key) != null || row(key) instanceof Row.Unreadable);
    }

    /** The stored bytes under the key, if they do not match their checksum; otherwise null. */
    private byte @Nullable [] damaged(MetaKey key) throws IOException {
        return engine.survey(tx -> tx.scan(key, key.next(), 1)).stream()
                .filter(row -> row.isDamaged() && row.key().equals(key)).findFirst()
                .map(MetaEngine.Entry::value).orElse(null);
    }

    List<RowChange> changes() {
        return changes.values().stream().filter(change -> !change.isNothing()).toList();
    }
}

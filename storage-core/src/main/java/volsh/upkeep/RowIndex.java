package volsh.upkeep;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.inventory.Row;

/**
 * Finds rows by a number in them, such as the names that refer to an inode. Damaged rows are often close together: all
 * rows below the last requested prefix are cached. What is found may have changed since.
 */
public final class RowIndex {
    private static final int REMEMBERED = 1 << 20;

    private final MetaEngine engine;
    private final Map<Long, List<MetaKey>> keys = new HashMap<>();
    private @Nullable MetaKey indexed;

    public RowIndex(MetaEngine engine) {
        this.engine = engine;
    }

    /** The keys of the rows below the prefix that contain this number. */
    public List<MetaKey> find(MetaKey prefix, ToLongFunction<Row> number, long wanted) throws IOException {
        if (!prefix.equals(indexed)) {
            indexed = null;
            keys.clear();
            var found = new ArrayList<MetaKey>();
            var rows = new Cursor(engine, prefix, prefix.afterPrefix(), Watcher.NONE);
            int count = 0;
            for (; rows.peek() != null; count++) {
                var row = Row.of(rows.next());
                long each = number.applyAsLong(row);
                if (each == wanted) {
                    found.add(row.entry().key());
                }
                if (count < REMEMBERED) {
                    keys.computeIfAbsent(each, first -> new ArrayList<>(1)).add(row.entry().key());
                }
            }
            indexed = count <= REMEMBERED ? prefix : null;
            return found;
        }
        return keys.getOrDefault(wanted, List.of());
    }
}

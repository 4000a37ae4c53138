package volsh.history;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.Name;
import volsh.inventory.Row;
import volsh.meta.Edit;

/**
 * States that no tick ended with: what a name referred to when it was removed or replaced in the same tick in which it,
 * or its inode, had changed. {@link Edit#keepLast} writes them, {@link Purge} removes them with their tick.
 */
final class Removals {
    private static final int PAGE = 200;

    private Removals() {}

    /** Of this name, in the order of removal. */
    static List<Row.Removed> of(MetaEngine engine, long directory, Name name) throws IOException {
        var found = all(engine, Keys.removed(directory, name));
        found.sort((one, other) -> one.tick() != other.tick() ? Long.compare(one.tick(), other.tick())
                : Long.compare(other.number(), one.number()));
        return found;
    }

    /** Of all names of a directory. */
    static List<Row.Removed> below(MetaEngine engine, long directory) throws IOException {
        return all(engine, Keys.removed(directory));
    }

    private static List<Row.Removed> all(MetaEngine engine, MetaKey prefix) throws IOException {
        var found = new ArrayList<Row.Removed>();
        for (var from = prefix; from != null; ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, prefix.afterPrefix(), PAGE));
            for (var row : page) {
                found.add(parse(row));
            }
            from = page.size() < PAGE ? null : page.getLast().key().next();
        }
        return found;
    }

    static Row.Removed parse(MetaEngine.Entry row) throws IOException {
        if (Row.of(row) instanceof Row.Removed removed) {
            return removed;
        }
        throw new IOException("metadata corrupt: row %s of a removed name cannot be read".formatted(row.key()));
    }
}

package volsh.meta;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.fs.Name;

/**
 * States that no tick ended with: what a name led to when it was removed or replaced within the tick in which it, or what it led to,
 * had changed. {@link Edit#keepLast} writes them, {@link Purge} takes them away with their tick.
 */
final class Removals {
    private static final int PAGE = 200;

    private Removals() {}

    /** Of this name, in the order in which it went. */
    static List<Row.Removed> of(MetaEngine engine, long directory, Name name) throws IOException {
        var found = new ArrayList<Row.Removed>();
        var prefix = Keys.removed(directory, name);
        for (var from = prefix; from != null; ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, prefix.afterPrefix(), PAGE));
            for (var row : page) {
                found.add(parse(row));
            }
            from = page.size() < PAGE ? null : page.getLast().key().next();
        }
        found.sort((one, other) -> one.tick() != other.tick() ? Long.compare(one.tick(), other.tick()) : Long.compare(other.number(), one.number()));
        return found;
    }

    /** What the name led to last, of the tick. */
    static Optional<Row.Removed> last(MetaEngine engine, long directory, Name name, long tick) throws IOException {
        var rows = engine.read(tx -> tx.scan(Keys.removed(directory, name, tick, 0), Keys.removed(directory, name, tick, Long.MAX_VALUE), 1));
        return rows.isEmpty() ? Optional.empty() : Optional.of(parse(rows.getFirst()));
    }

    /** Of all names of a directory that went in the tick, the first of each name being the last state. */
    static List<Row.Removed> in(MetaEngine engine, long directory, long tick) throws IOException {
        var found = new ArrayList<Row.Removed>();
        var prefix = Keys.removed(directory);
        for (var from = prefix; from != null; ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, prefix.afterPrefix(), PAGE));
            for (var row : page) {
                var removed = parse(row);
                if (removed.tick() == tick) {
                    found.add(removed);
                }
            }
            from = page.size() < PAGE ? null : page.getLast().key().next();
        }
        return found;
    }

    private static Row.Removed parse(MetaEngine.Entry row) throws IOException {
        if (Row.of(row) instanceof Row.Removed removed) {
            return removed;
        }
        throw new IOException("metadata corrupt: row %s of a removed name cannot be read".formatted(row.key()));
    }
}

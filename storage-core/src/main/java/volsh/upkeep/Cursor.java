package volsh.upkeep;

import java.io.IOException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.inventory.Row;

/** The rows of a range in key order, in pages: no read is long, and concurrent changes may be seen or not. */
public final class Cursor {
    private static final int PAGE = 800;

    private final MetaEngine engine;
    private final MetaKey to;
    private final Watcher watcher;
    private final Set<MetaKey> damaged = new HashSet<>();   // those already returned
    private @Nullable MetaKey from;
    private Iterator<MetaEngine.Entry> page = List.<MetaEngine.Entry>of().iterator();
    private MetaEngine.@Nullable Entry head;

    public Cursor(MetaEngine engine, MetaKey from, MetaKey to, Watcher watcher) {
        this.engine = engine;
        this.from = from;
        this.to = to;
        this.watcher = watcher;
    }

    public static Cursor of(MetaEngine engine, char kind, Watcher watcher) {
        return new Cursor(engine, Row.kind(kind), Row.kind(kind).afterPrefix(), watcher);
    }

    /** The next row, without consuming it; null at the end. */
    public MetaEngine.@Nullable Entry peek() throws IOException {
        while (head == null && (page.hasNext() || from != null)) {
            if (page.hasNext() || from == null) {
                head = page.next();
            } else {
                turn(from);
            }
        }
        return head;
    }

    private void turn(MetaKey start) throws IOException {
        if (watcher.cancelled()) {
            throw new StoppedException();
        }
        int limit = PAGE;
        var rows = read(start, limit);
        // nothing but damaged rows, which is not the end
        while (rows.size() >= limit && behind(rows, start) == null) {
            limit *= 2;
            rows = read(start, limit);
        }
        from = rows.size() < limit ? null : behind(rows, start);
        page = rows.stream().filter(row -> !row.isDamaged() || damaged.add(row.key())).iterator();
        watcher.advanced(rows.size());
    }

    private List<MetaEngine.Entry> read(MetaKey start, int limit) throws IOException {
        return engine.survey(tx -> tx.scan(start, to, limit));
    }

    /** The key after the last intact row; damaged rows next to it may be returned again. */
    private static @Nullable MetaKey behind(List<MetaEngine.Entry> rows, MetaKey start) {
        return rows.reversed().stream().filter(row -> !row.isDamaged() && row.key().compareTo(start) >= 0).findFirst()
                .map(row -> row.key().next()).orElse(null);
    }

    /** Consumes the next row. @throws NoSuchElementException at the end */
    public MetaEngine.Entry next() throws IOException {
        var next = peek();
        if (next == null) {
            throw new NoSuchElementException();
        }
        head = null;
        return next;
    }
}

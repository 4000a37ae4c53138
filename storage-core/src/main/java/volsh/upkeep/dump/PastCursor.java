package volsh.upkeep.dump;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.inventory.Row;
import volsh.upkeep.StoppedException;
import volsh.upkeep.Watcher;

/**
 * The rows of one kind of the name space as of a retained tick, in key order. A page is one read of current rows and
 * their later versions, so the volume may change meanwhile.
 */
final class PastCursor {
    private static final int PAGE = 300;

    private final MetaEngine engine;
    private final long tick;
    private final MetaKey end;
    private final Watcher watcher;
    private @Nullable MetaKey from;
    private final ArrayDeque<Row> page = new ArrayDeque<>();

    PastCursor(MetaEngine engine, char kind, long tick, Watcher watcher) {
        this.engine = engine;
        this.tick = tick;
        this.from = Row.kind(kind);
        this.end = Row.kind(kind).afterPrefix();
        this.watcher = watcher;
    }

    /** The next row; null at the end. */
    Row next() throws IOException {
        while (page.isEmpty() && from != null) {
            turn(from);
        }
        return page.poll();
    }

    private record Read(List<MetaEngine.Entry> current, List<MetaEngine.Entry> past) {}

    private void turn(MetaKey start) throws IOException {
        if (watcher.cancelled()) {
            throw new StoppedException();
        }
        var read = engine.read(tx -> new Read(tx.scan(start, end, PAGE),
                tx.scan(historyOf(start), historyOf(end), PAGE)));
        var limit = end;   // up to here both are complete
        if (read.current().size() == PAGE) {
            limit = least(limit, read.current().getLast().key().next());
        }
        if (read.past().size() == PAGE) {
            var last = of(read.past().getLast().key());
            if (last.equals(start)) {
                throw new IOException("too many versions: row %s has more than %d".formatted(last, PAGE));
            }
            limit = least(limit, last);   // the last one may have more versions
        }
        fill(read, limit);
        from = limit.equals(end) ? null : limit;
    }

    private void fill(Read read, MetaKey limit) throws IOException {
        var rows = new TreeMap<MetaKey, byte[]>();
        for (var entry : read.current()) {
            if (entry.key().compareTo(limit) < 0 && since(entry.value()) <= tick) {
                rows.put(entry.key(), entry.value());
            }
        }
        for (var entry : read.past()) {
            var key = of(entry.key());
            byte[] bytes = entry.key().bytes();
            long until = ByteBuffer.wrap(bytes).getLong(bytes.length - Long.BYTES);
            if (key.compareTo(limit) < 0 && since(entry.value()) <= tick && tick < until) {
                rows.put(key, entry.value());
            }
        }
        watcher.advanced(rows.size());
        var found = new ArrayList<Row>();
        for (var row : rows.entrySet()) {
            found.add(Dump.readable(Row.of(new MetaEngine.Entry(row.getKey(), row.getValue()))));
        }
        page.addAll(found);
    }

    private static long since(byte[] value) {
        return value.length < Long.BYTES ? 0 : ByteBuffer.wrap(value).getLong();
    }

    private static MetaKey least(MetaKey a, MetaKey b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private static MetaKey historyOf(MetaKey key) {
        return MetaKey.of(ByteBuffer.allocate(1 + key.bytes().length).put((byte) 'h').put(key.bytes()).array());
    }

    private static MetaKey of(MetaKey history) {
        byte[] bytes = history.bytes();
        return MetaKey.of(Arrays.copyOfRange(bytes, 1, Math.max(2, bytes.length - 9)));
    }
}

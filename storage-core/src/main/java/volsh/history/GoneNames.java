package volsh.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.Name;
import volsh.inventory.Row;
import volsh.meta.View;

/**
 * The names removed in the ticks {@code first} to {@code last}, each in its last state. Two kinds of rows record them:
 * versions of entries, and {@link Removals} of what had changed in the tick of its removal. If both do, the removal is
 * the later state.
 */
final class GoneNames {
    private static final int PAGE = 200;

    private final MetaEngine engine;
    private final long first;
    private final long last;

    GoneNames(MetaEngine engine, long first, long last) {
        this.engine = engine;
        this.first = first;
        this.last = last;
    }

    /**
     * A removed name.
     *
     * @param entry the row of the entry, preceded by its tick
     * @param node the row of its inode if that may have been created and removed within the tick, otherwise null
     */
    record Gone(long tick, long ino, byte[] entry, byte @Nullable [] node) {
        static Gone of(Row.Removed row) {
            return new Gone(row.tick(), row.ino(), withSince(row.since(), View.entryRow(row.ino(), row.kind())),
                    withSince(row.since(), row.node().toBytes()));
        }

        static Gone of(long end, byte[] entry) {
            return new Gone(end, View.content(entry).getLong(), entry, null);
        }

        private static byte[] withSince(long since, byte[] content) {
            return ByteBuffer.allocate(View.SINCE_BYTES + content.length).putLong(since).put(content).array();
        }
    }

    /** What the name referred to last; null if it was not removed. */
    @Nullable Gone last(long directory, Name name) throws IOException {
        var key = Keys.entry(directory, name);
        return from(key, key.next(), 1).get(key);
    }

    /** The first of a directory in a range of its entries: at least {@code limit}, if there are that many. */
    NavigableMap<MetaKey, Gone> from(MetaKey from, MetaKey to, int limit) throws IOException {
        var found = new TreeMap<MetaKey, Gone>();
        versions(from, to, limit).forEach(found::put);
        removals(from, to, limit).forEach((key, gone) ->
                found.merge(key, gone, (one, other) -> other.tick() >= one.tick() ? other : one));
        return found;
    }

    private interface Reader {
        /** Adds the name that a row records, if it was removed in one of the ticks. */
        void take(MetaEngine.Entry row, MetaKey name, NavigableMap<MetaKey, Gone> found) throws IOException;
    }

    private NavigableMap<MetaKey, Gone> versions(MetaKey from, MetaKey to, int limit) throws IOException {
        return read('h', from, to, limit, (row, name, found) -> {
            long gone = Keys.end(row.key());
            if (gone >= first && gone <= last) {
                found.put(name, Gone.of(gone, row.value()));
            }
        });
    }

    private NavigableMap<MetaKey, Gone> removals(MetaKey from, MetaKey to, int limit) throws IOException {
        return read('e', from, to, limit, (row, name, found) -> {
            var removed = Removals.parse(row);
            var known = found.get(name);
            if (removed.tick() >= first && removed.tick() <= last && (known == null || known.tick() < removed.tick())) {
                found.put(name, Gone.of(removed));   // within one tick the first is the last state
            }
        });
    }

    private NavigableMap<MetaKey, Gone> read(char kind, MetaKey from, MetaKey to, int limit, Reader reader)
            throws IOException {
        var found = new TreeMap<MetaKey, Gone>();
        var end = end(kind, to);
        for (MetaKey start = rows(kind, from); start != null; ) {
            var at = start;
            List<MetaEngine.Entry> page = engine.read(tx -> tx.scan(at, end, PAGE));
            for (var row : page) {
                var name = name(kind, row.key());
                if (found.size() >= limit && !found.containsKey(name)) {
                    return found;
                }
                if (name.compareTo(from) >= 0 && name.compareTo(to) < 0) {
                    reader.take(row, name, found);
                }
            }
            start = page.size() < PAGE ? null : page.getLast().key().next();
        }
        return found;
    }

    /** The first key of this kind for this entry and those after it. */
    private static MetaKey rows(char kind, MetaKey entry) {
        byte[] bytes = entry.bytes();
        return kind == 'h' ? MetaKey.of(ByteBuffer.allocate(1 + bytes.length).put((byte) 'h').put(bytes).array())
                : MetaKey.of(ByteBuffer.allocate(bytes.length).put((byte) 'e').put(bytes, 1, bytes.length - 1).array());
    }

    /** The key after the rows of entries before this one: rows of a name continue with a byte 0, like the next key. */
    private static MetaKey end(char kind, MetaKey to) {
        byte[] bytes = rows(kind, to).bytes().clone();
        if (to.bytes().length > 1 + Long.BYTES && bytes[bytes.length - 1] == 0) {
            bytes[bytes.length - 1] = 1;
        }
        return MetaKey.of(bytes);
    }

    /** The entry that a row records. */
    private static MetaKey name(char kind, MetaKey row) {
        if (kind == 'h') {
            return Keys.versioned(row);
        }
        byte[] bytes = row.bytes();
        return MetaKey.of(ByteBuffer.allocate(bytes.length - 17).put((byte) 'E').put(bytes, 1, bytes.length - 18)
                .array());
    }
}

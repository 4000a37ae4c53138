package volsh.history;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.Name;
import volsh.meta.Moments;

/**
 * The name space at the end of a removal that took the ticks {@code first} to {@code last}, with every name removed in
 * them still present: the source of {@code undelete}. A name refers to its last inode, as of the end of the tick in
 * which the name was removed, which unlinked files outlive; a removed directory is as of before that tick. The ticks
 * must be over and kept, see {@link Moments}. A scan over several inodes shows those that were read before, by name or
 * number. Read-only.
 */
public final class UndeleteEngine extends ReadOnlyEngine {
    private final MetaEngine engine;
    private final long last;
    private final OptionalLong inode;
    private final MetaEngine end;
    private final GoneNames names;
    private final GoneInodes inodes;

    /** @param inode which one to show, if several had a name in the tick */
    public UndeleteEngine(MetaEngine engine, long first, long last, OptionalLong inode) {
        this.engine = engine;
        this.last = last;
        this.inode = inode;
        this.end = new PastEngine(engine, last);
        this.names = new GoneNames(engine, first, last);
        this.inodes = new GoneInodes(engine, first, last);
    }

    @Override
    public <R extends @Nullable Object> R read(Work<R> work) throws IOException {
        return end.read(now -> work.run(new Removing(now)));
    }

    /** Past states as one. */
    private final class Removing extends ReadOnlyTransaction {
        private final Transaction now;

        Removing(Transaction now) {
            this.now = now;
        }

        @Override
        public byte @Nullable [] get(MetaKey key) throws IOException {
            return switch (key.bytes()[0]) {
                case 'E' -> entry(key);
                case 'N' -> inodes.node(Keys.number(key, 0));
                case 'A', 'D', 'L', 'S', 'X' -> inodes.belongings(Keys.number(key, 0)).read(tx -> tx.get(key));
                default -> now.get(key);
            };
        }

        private byte @Nullable [] entry(MetaKey key) throws IOException {
            long directory = Keys.number(key, 0);
            var name = Name.of(Keys.name(key));
            if (inode.isPresent()) {
                for (var row : Removals.of(engine, directory, name)) {
                    if (row.tick() == last && row.ino() == inode.getAsLong()) {
                        return shown(GoneNames.Gone.of(row));
                    }
                }
            }
            byte[] there = now.get(key);
            return there != null ? there : shown(names.last(directory, name));
        }

        /** The row of an entry; caches its inode. */
        private byte @Nullable [] shown(GoneNames.@Nullable Gone gone) throws IOException {
            if (gone == null) {
                return null;
            }
            inodes.remember(gone);
            return gone.entry();
        }

        @Override
        public Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
            var found = new HashMap<MetaKey, byte[]>();
            for (var key : keys) {
                byte[] row = get(key);
                if (row != null) {
                    found.put(key, row);
                }
            }
            return found;
        }

        @Override
        public List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException {
            return switch (from.bytes()[0]) {
                case 'E' -> entries(from, to, limit);
                case 'A', 'X' -> belongings(from, to, limit);
                case 'S' -> inodes.belongings(Keys.number(from, 0)).read(tx -> tx.scan(from, to, limit));
                default -> now.scan(from, to, limit);
            };
        }

        /** Lists one directory at a time. */
        private List<Entry> entries(MetaKey from, MetaKey to, int limit) throws IOException {
            var rows = new TreeMap<MetaKey, byte[]>();
            var gone = names.from(from, to, limit);
            // If all names were removed in the tick there are none at its end, however far one scans: not farther than
            // necessary.
            var end = gone.isEmpty() || gone.size() < limit ? to : gone.lastKey().next();
            now.scan(from, end, limit).forEach(row -> rows.put(row.key(), row.value()));
            for (var each : gone.entrySet()) {
                if (!rows.containsKey(each.getKey())) {
                    rows.put(each.getKey(), shown(each.getValue()));
                }
            }
            return first(rows, limit);
        }

        private List<Entry> belongings(MetaKey from, MetaKey to, int limit) throws IOException {
            char kind = (char) from.bytes()[0];
            long one = Keys.number(from, 0);
            if (to.compareTo(Keys.rows(kind, one).afterPrefix()) <= 0) {
                return inodes.belongings(one).read(tx -> tx.scan(from, to, limit));
            }
            var rows = new TreeMap<MetaKey, byte[]>();
            for (var group : inodes.between(one, to).entrySet()) {
                for (var row : rowsOf(group.getKey(), kind, group.getValue(), from, to, limit)) {
                    rows.put(row.key(), row.value());
                }
            }
            return first(rows, limit);
        }

        /** The first rows of these inodes in a past state, skipping those of others. */
        private List<Entry> rowsOf(long tick, char kind, NavigableSet<Long> wanted, MetaKey from, MetaKey to, int limit)
                throws IOException {
            var found = new ArrayList<Entry>();
            var past = new PastEngine(engine, tick);
            for (MetaKey start = from; start != null && found.size() < limit; ) {
                var at = start;
                var page = past.read(tx -> tx.scan(at, to, limit));
                for (var row : page) {
                    if (wanted.contains(Keys.number(row.key(), 0))) {
                        found.add(row);
                    }
                }
                start = page.size() < limit ? null : behind(page.getLast().key(), kind, wanted);
            }
            return found;
        }

        private static @Nullable MetaKey behind(MetaKey last, char kind, NavigableSet<Long> wanted) {
            var next = wanted.ceiling(Keys.number(last, 0));
            return next == null ? null : next == Keys.number(last, 0) ? last.next() : Keys.rows(kind, next);
        }

        private static List<Entry> first(NavigableMap<MetaKey, byte[]> rows, int limit) {
            return rows.entrySet().stream().limit(limit).map(row -> new Entry(row.getKey(), row.getValue())).toList();
        }
    }
}

package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;

/**
 * The name space at the end of a tick, with every name still there that went in this tick: what {@code undelete} copies from. A name leads
 * to what it led to last. Inodes are as they were when the tick ended, which unlinked files outlive; directories that were removed, as
 * before. The tick must be over and kept, see {@link Moments}. Nothing can be written.
 */
public final class UndeleteEngine implements MetaEngine {
    private final MetaEngine engine;
    private final long tick;
    private final OptionalLong inode;
    private final MetaEngine end;
    private final MetaEngine before;
    /** Rows of inodes that came and went within the tick, as names led to them. */
    private final Map<Long, byte[]> shortLived = new ConcurrentHashMap<>();
    /** Which names of a directory went in the tick leaving a row of their own; the tick is over, so no more do. */
    private final Map<Long, NavigableSet<MetaKey>> removed = new ConcurrentHashMap<>();

    /** @param inode where several had a name in the tick: this one is shown */
    public UndeleteEngine(MetaEngine engine, long tick, OptionalLong inode) {
        this.engine = engine;
        this.tick = tick;
        this.inode = inode;
        this.end = new PastEngine(engine, tick);
        this.before = new PastEngine(engine, tick - 1);
    }

    /** @throws FsException READ_ONLY, always */
    @Override
    public <R> R transact(Work<R> work) throws IOException {
        throw refused();
    }

    @Override
    public <R> R read(Work<R> work) throws IOException {
        return end.read(now -> before.read(earlier -> work.run(new Removing(now, earlier))));
    }

    @Override
    public void sync() {}

    /** Leaves the engine open: it is not this one's. */
    @Override
    public void close() {}

    private static FsException refused() {
        return new FsException(FsError.READ_ONLY, "the past cannot be changed");
    }

    /** Two past states as one; they are read in pieces, so this holds no transaction open. */
    private final class Removing implements Transaction {
        private final Transaction now;
        private final Transaction earlier;

        Removing(Transaction now, Transaction earlier) {
            this.now = now;
            this.earlier = earlier;
        }

        @Override
        public byte[] get(MetaKey key) throws IOException {
            return switch (key.bytes()[0]) {
                case 'E' -> entry(key);
                case 'N' -> node(Keys.number(key, 0));
                case 'A' -> isThere(Keys.number(key, 0)) ? now.get(key) : earlier.get(key);
                case 'S' -> (isThere(Keys.number(key, 0)) ? now : earlier).get(key);
                default -> now.get(key);
            };
        }

        private byte[] entry(MetaKey key) throws IOException {
            long directory = Keys.number(key, 0);
            var name = Name.of(Keys.name(key));
            if (inode.isPresent()) {
                for (var row : Removals.of(engine, directory, name)) {
                    if (row.tick() == tick && row.ino() == inode.getAsLong()) {
                        return entry(row);
                    }
                }
            }
            byte[] there = now.get(key);
            if (there != null) {
                return there;
            }
            var last = Removals.last(engine, directory, name, tick);
            return last.isPresent() ? entry(last.get()) : earlier.get(key);
        }

        private byte[] entry(Row.Removed row) {
            shortLived.put(row.ino(), withSince(row.since(), row.node().toBytes()));
            return withSince(row.since(), View.entryRow(row.ino(), row.kind()));
        }

        private byte[] withSince(long since, byte[] content) {
            return ByteBuffer.allocate(View.SINCE_BYTES + content.length).putLong(since).put(content).array();
        }

        private boolean isThere(long ino) throws IOException {
            return now.get(Keys.node(ino)) != null;
        }

        /** What has no name any more shows one: it is looked at through the one it had. */
        private byte[] node(long ino) throws IOException {
            byte[] there = now.get(Keys.node(ino));
            if (there != null) {
                var node = NodeRow.parse(View.content(there));
                return node.links() > 0 ? there : withSince(ByteBuffer.wrap(there).getLong(), node.withLinks(1).toBytes());
            }
            byte[] was = earlier.get(Keys.node(ino));
            return was != null ? was : shortLived.get(ino);
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
                case 'A' -> attributes(from, to, limit);
                case 'S' -> (isThere(Keys.number(from, 0)) ? now : earlier).scan(from, to, limit);
                default -> now.scan(from, to, limit);
            };
        }

        /** One directory is listed at a time. */
        private List<Entry> entries(MetaKey from, MetaKey to, int limit) throws IOException {
            var rows = new TreeMap<MetaKey, byte[]>();
            earlier.scan(from, to, limit).forEach(row -> rows.put(row.key(), row.value()));
            // Where all names went in the tick there is none at its end, however far one looks: not farther than has to be.
            var end = rows.size() < limit || rows.isEmpty() ? to : rows.lastKey().next();
            now.scan(from, end, limit).forEach(row -> rows.put(row.key(), row.value()));
            for (var key : removed(Keys.number(from, 0)).subSet(from, end)) {
                if (!rows.isEmpty() && rows.size() >= limit && key.compareTo(rows.lastKey()) > 0) {
                    break;
                }
                rows.put(key, get(key));
            }
            return first(rows, limit);
        }

        private NavigableSet<MetaKey> removed(long directory) throws IOException {
            var known = removed.get(directory);
            if (known == null) {
                known = new TreeSet<>();
                for (var row : Removals.in(engine, directory, tick)) {
                    known.add(Keys.entry(directory, Name.of(row.name())));
                }
                removed.put(directory, known);
            }
            return known;
        }

        /** Those of directories that were removed are as before; of all others, as they were in the end. */
        private List<Entry> attributes(MetaKey from, MetaKey to, int limit) throws IOException {
            var rows = new TreeMap<MetaKey, byte[]>();
            now.scan(from, to, limit).forEach(row -> rows.put(row.key(), row.value()));
            int added = 0;
            for (var start = from; start != null && added < limit; ) {
                var page = earlier.scan(start, to, limit);
                for (var row : page) {
                    if (!isThere(Keys.number(row.key(), 0))) {
                        rows.put(row.key(), row.value());
                        added++;
                    }
                }
                start = page.size() < limit ? null : page.getLast().key().next();
            }
            return first(rows, limit);
        }

        private List<Entry> first(NavigableMap<MetaKey, byte[]> rows, int limit) {
            var found = new ArrayList<Entry>();
            rows.forEach((key, row) -> {
                if (found.size() < limit) {
                    found.add(new Entry(key, row));
                }
            });
            return found;
        }

        @Override
        public void put(MetaKey key, byte[] value) throws IOException {
            throw refused();
        }

        @Override
        public void delete(MetaKey key) throws IOException {
            throw refused();
        }

        @Override
        public void hold(MetaKey key) throws IOException {
            throw refused();
        }

        @Override
        public void add(MetaKey key, Delta delta) throws IOException {
            throw refused();
        }

        @Override
        public int room() {
            return Integer.MAX_VALUE;
        }
    }
}

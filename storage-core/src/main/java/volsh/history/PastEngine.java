package volsh.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FileKind;
import volsh.meta.DirectoryCounters;
import volsh.meta.Moments;
import volsh.meta.NodeRow;
import volsh.meta.View;

/**
 * The name space as it was at the end of a tick. The tick must be over and kept, see {@link Moments}. A row is visible
 * at tick t if it was written at t or before and replaced after t: it is the current one, or one of its history. Rows
 * without a history are as they are now, except the counters of directories, see {@link #counters}. Read-only.
 *
 * <p>A past state does not change, so every get and every page of a scan is a separate read: a row and its history are
 * seen together, and no transaction becomes long.
 */
public final class PastEngine extends ReadOnlyEngine {
    private static final int ROWS_MIN = 8;
    private static final int ROWS_MAX = 200;
    /** Rows of history read at once: with as many current rows they are fewer than a transaction may touch. */
    private static final int VERSIONS = 64;
    private static final int VERSION_PAGES = 8;
    private static final long NANOS = 1_000_000_000L;

    private final MetaEngine engine;
    private final long tick;

    public PastEngine(MetaEngine engine, long tick) {
        this.engine = engine;
        this.tick = tick;
    }

    @Override
    public <R extends @Nullable Object> R read(Work<R> work) throws IOException {
        return work.run(new Past());
    }

    private final class Past extends ReadOnlyTransaction {
        @Override
        public byte @Nullable [] get(MetaKey key) throws IOException {
            if (isCounters(key)) {
                return ofLane(key);
            }
            return engine.read(tx -> Keys.isHistoric(key) ? visible(tx, key) : tx.get(key));
        }

        @Override
        public Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
            var found = new HashMap<MetaKey, byte[]>();
            var all = new ArrayList<MetaKey>(keys.size());
            for (var key : keys) {
                if (isCounters(key)) {
                    Optional.ofNullable(ofLane(key)).ifPresent(row -> found.put(key, row));
                } else {
                    all.add(key);
                }
            }
            for (int from = 0; from < all.size(); from += ROWS_MAX) {
                var some = all.subList(from, Math.min(from + ROWS_MAX, all.size()));
                found.putAll(engine.read(tx -> visible(tx, some)));
            }
            return found;
        }

        @Override
        public List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException {
            if (isCounters(from)) {
                return counters(Keys.number(from, 0)).map(row -> List.of(row)).orElse(List.of());
            }
            return Keys.isHistoric(from) ? visible(from, to, limit) : engine.read(tx -> tx.scan(from, to, limit));
        }
    }

    private static boolean isCounters(MetaKey key) {
        return key.bytes()[0] == 'S' && key.bytes().length >= 9;
    }

    /** The past value of a lane of a directory's counters: everything is in the first one. */
    private byte @Nullable [] ofLane(MetaKey key) throws IOException {
        return key.bytes().length == 10 && key.bytes()[9] == 0
                ? counters(Keys.number(key, 0)).map(Entry::value).orElse(null) : null;
    }

    private boolean isVisible(byte[] row) {
        return ByteBuffer.wrap(row).getLong() <= tick;
    }

    private byte @Nullable [] visible(Transaction tx, MetaKey key) throws IOException {
        byte[] now = tx.get(key);
        return now != null && isVisible(now) ? now : version(tx, key);
    }

    /** Versions follow one another: only the first that ends after the tick can have been current at it. */
    private byte @Nullable [] version(Transaction tx, MetaKey key) throws IOException {
        var rows = tx.scan(Keys.history(key, tick + 1), Keys.history(key, Long.MAX_VALUE), 1);
        return rows.isEmpty() || !isVisible(rows.getFirst().value()) ? null : rows.getFirst().value();
    }

    private Map<MetaKey, byte[]> visible(Transaction tx, List<MetaKey> keys) throws IOException {
        var found = new HashMap<>(tx.getAll(keys));
        for (var key : keys) {
            byte[] now = found.get(key);
            if (Keys.isHistoric(key) && (now == null || !isVisible(now))) {
                byte[] version = version(tx, key);
                if (version == null) {
                    found.remove(key);
                } else {
                    found.put(key, version);
                }
            }
        }
        return found;
    }

    private List<Entry> visible(MetaKey from, MetaKey to, int limit) throws IOException {
        var found = new ArrayList<Entry>();
        var start = from;
        while (start != null && found.size() < limit && start.compareTo(to) < 0) {
            var at = start;
            int wanted = limit - found.size();
            var page = engine.read(tx -> page(tx, at, to, wanted));
            found.addAll(page.rows().subList(0, Math.min(wanted, page.rows().size())));
            start = page.next();
        }
        return found;
    }

    /** The visible rows before {@code next}; null if these are all. */
    private record Page(List<Entry> rows, @Nullable MetaKey next) {}

    private Page page(Transaction tx, MetaKey from, MetaKey to, int wanted) throws IOException {
        int rows = Math.clamp(wanted, ROWS_MIN, ROWS_MAX);
        var current = tx.scan(from, to, rows);
        var merged = new TreeMap<MetaKey, byte[]>();
        var last = current.size() < rows ? null : current.getLast().key();
        last = addVersions(tx, from, to, last, merged);
        for (var row : current) {
            if (isVisible(row.value()) && (last == null || row.key().compareTo(last) <= 0)) {
                merged.put(row.key(), row.value());
            }
        }
        return new Page(
                merged.entrySet().stream().map(row -> new Entry(row.getKey(), row.getValue())).toList(),
                last == null ? null : last.next());
    }

    /**
     * Adds the visible versions of the keys from {@code from} up to {@code last} (null: up to {@code to}), skipping
     * older and newer ones where a key has many. Returns the last key it reached if it could not read all.
     */
    private @Nullable MetaKey addVersions(Transaction tx, MetaKey from, MetaKey to, @Nullable MetaKey last,
            Map<MetaKey, byte[]> found) throws IOException {
        var end = last == null ? history(to) : behind(last);
        var next = history(from);
        for (int pages = 1; ; pages++) {
            if (next.compareTo(end) >= 0) {
                return last;
            }
            var rows = tx.scan(next, end, VERSIONS);
            for (var row : rows) {
                var key = Keys.versioned(row.key());
                if (Keys.end(row.key()) > tick && isVisible(row.value()) && key.compareTo(from) >= 0) {
                    found.putIfAbsent(key, row.value());
                }
            }
            if (rows.size() < VERSIONS) {
                return last;
            }
            var key = Keys.versioned(rows.getLast().key());
            boolean older = Keys.end(rows.getLast().key()) <= tick;
            if (pages == VERSION_PAGES && key.compareTo(from) >= 0) {
                byte[] version = older ? version(tx, key) : null;
                if (version != null) {
                    found.put(key, version);
                }
                return key;
            }
            next = older ? Keys.history(key, tick + 1) : behind(key);
        }
    }

    private static MetaKey history(MetaKey key) {
        byte[] bytes = key.bytes();
        return MetaKey.of(ByteBuffer.allocate(bytes.length + 1).put((byte) 'h').put(bytes).array());
    }

    /** The key after all versions of a key: names contain no byte 0, and the other keys have a fixed length. */
    private static MetaKey behind(MetaKey key) {
        byte[] bytes = key.bytes();
        return MetaKey.of(ByteBuffer.allocate(bytes.length + 2).put((byte) 'h').put(bytes).put((byte) 1).array());
    }

    /**
     * The counters of a directory at the tick: the current ones, if neither its names nor its attributes have changed
     * since; otherwise they are counted, and the time is that of the newest name at the time.
     */
    private Optional<Entry> counters(long directory) throws IOException {
        byte[] node = new Past().get(Keys.node(directory));
        if (node == null) {
            return Optional.empty();
        }
        var now = engine.read(tx -> {
            byte[] row = tx.get(Keys.node(directory));
            return row != null && isVisible(row) ? new View(tx).counters(directory) : null;
        });
        var counters = now != null && now.mtime() / NANOS <= tick ? now
                : counted(directory, NodeRow.parse(View.content(node)));
        return Optional.of(new Entry(Keys.directoryCounters(directory, 0), counters.delta().row()));
    }

    private DirectoryCounters counted(long directory, NodeRow node) throws IOException {
        long entries = 0;
        long directories = 0;
        long newest = 0;
        var prefix = Keys.entries(directory);
        for (MetaKey from = prefix; from != null; ) {
            var at = from;
            var page = engine.read(tx -> page(tx, at, prefix.afterPrefix(), ROWS_MAX));
            for (var row : page.rows()) {
                entries++;
                directories += View.content(row.value()).get(View.SINCE_BYTES + Long.BYTES) == FileKind.DIRECTORY.code()
                        ? 1 : 0;
                newest = Math.max(newest, ByteBuffer.wrap(row.value()).getLong());
            }
            from = page.next();
        }
        return new DirectoryCounters(entries, directories, 0, newest * NANOS > node.mtime() ? newest * NANOS : 0);
    }
}

package volsh.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.meta.NodeRow;
import volsh.meta.View;

/**
 * Inodes that lost their names in the ticks {@code first} to {@code last}, each at its last tick. Recently read ones
 * are cached, a bounded number; for others it is found from the versions of their rows.
 */
final class GoneInodes {
    private static final int GENERATION = 1 << 14;
    private static final int PAGE = 200;

    private final MetaEngine engine;
    private final long first;
    private final long last;
    private NavigableMap<Long, Last> young = new TreeMap<>();
    private NavigableMap<Long, Last> old = new TreeMap<>();

    GoneInodes(MetaEngine engine, long first, long last) {
        this.engine = engine;
        this.first = first;
        this.last = last;
    }

    /**
     * Where to read an inode.
     *
     * @param tick its rows are read as of the end of this tick
     * @param node its row; null if none was kept
     */
    private record Last(long tick, byte @Nullable [] node) {}

    /** Caches the inode of a removed name. */
    void remember(GoneNames.Gone gone) throws IOException {
        var known = known(gone.ino());
        if (known == null || known.tick() < gone.tick()) {
            keep(gone.ino(), at(gone.ino(), gone.tick(), gone.node()));
        }
    }

    /** The row of an inode; without names it is shown with the one it had. Null if there was no such inode. */
    byte @Nullable [] node(long ino) throws IOException {
        return last(ino).node();
    }

    /** The past state in which the rows of the inode are as they were last. */
    MetaEngine belongings(long ino) throws IOException {
        return new PastEngine(engine, last(ino).tick());
    }

    /** Cached inodes with rows of a kind in {@code [from, to)}, by the tick to read them at. */
    synchronized Map<Long, NavigableSet<Long>> between(long from, MetaKey to) {
        char kind = (char) to.bytes()[0];
        var found = new HashMap<Long, NavigableSet<Long>>();
        for (var generation : List.of(old, young)) {
            for (var each : generation.tailMap(from).entrySet()) {
                if (Keys.rows(kind, each.getKey()).compareTo(to) >= 0) {
                    break;
                }
                if (generation == young || !young.containsKey(each.getKey())) {
                    found.computeIfAbsent(each.getValue().tick(), tick -> new TreeSet<>()).add(each.getKey());
                }
            }
        }
        return found;
    }

    private Last last(long ino) throws IOException {
        var known = known(ino);
        if (known != null) {
            return known;
        }
        var found = at(ino, goneIn(ino), null);
        keep(ino, found);
        return found;
    }

    private synchronized @Nullable Last known(long ino) {
        var known = young.get(ino);
        return known == null ? old.get(ino) : known;
    }

    private synchronized void keep(long ino, Last inode) {
        if (young.size() >= GENERATION) {
            old = young;
            young = new TreeMap<>();
        }
        young.put(ino, inode);
    }

    /**
     * The inode at the end of the tick in which its name was removed; if it was gone by then, like a directory, before;
     * if it did not exist then either, this row.
     */
    private Last at(long ino, long tick, byte @Nullable [] brief) throws IOException {
        byte[] then = row(ino, tick);
        if (then != null) {
            return new Last(tick, named(ino, then));
        }
        byte[] before = row(ino, tick - 1);
        return before != null ? new Last(tick - 1, named(ino, before)) : new Last(tick, brief);
    }

    private byte @Nullable [] row(long ino, long tick) throws IOException {
        return new PastEngine(engine, tick).read(tx -> tx.get(Keys.node(ino)));
    }

    /** A file has all the names it had in these ticks: it is one file under all of them. */
    private byte[] named(long ino, byte[] row) throws IOException {
        var node = NodeRow.parse(View.content(row));
        if (node.isDirectory()) {
            return row;
        }
        int links = Math.max(1, node.links());
        for (var version : versions(ino)) {
            links = Math.max(links, NodeRow.parse(View.content(version.value())).links());
        }
        byte[] content = node.withLinks(links).toBytes();
        return ByteBuffer.allocate(View.SINCE_BYTES + content.length).putLong(ByteBuffer.wrap(row).getLong())
                .put(content).array();
    }

    /** The tick in which the inode lost its last name; {@code last} if it did not. */
    private long goneIn(long ino) throws IOException {
        byte[] end = row(ino, last);
        if (end != null && NodeRow.parse(View.content(end)).links() > 0) {
            return last;
        }
        long tick = last;
        for (var version : versions(ino)) {
            tick = NodeRow.parse(View.content(version.value())).links() > 0 ? Keys.end(version.key()) : tick;
        }
        return tick;
    }

    /** Versions of its row that were replaced in these ticks. */
    private List<MetaEngine.Entry> versions(long ino) throws IOException {
        var key = Keys.node(ino);
        var end = Keys.history(key, last + 1);
        var found = new ArrayList<MetaEngine.Entry>();
        for (var start = Keys.history(key, first); start != null; ) {
            var from = start;
            var page = engine.read(tx -> tx.scan(from, end, PAGE));
            found.addAll(page);
            start = page.size() < PAGE ? null : page.getLast().key().next();
        }
        return found;
    }
}

package volsh.history;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FileKind;
import volsh.inventory.Row;

/**
 * Finds the ticks in which a directory was removed name by name, as by {@code rm -r}. Going back from its own removal,
 * names below it were removed without a pause of more than {@value #PAUSE} ticks; of those ticks, the removal began in
 * the one before which the tree had the most names, not counting short-lived ones. So programs that create and remove
 * temporary files all the time do not make it begin earlier.
 */
final class TreeRemovals {
    static final int PAUSE = 5;

    private static final int PAGE = 500;

    private final MetaEngine engine;
    private final long earliest;
    private final List<Gone> gone = new ArrayList<>();
    private final Set<Born> born = new HashSet<>();
    private final NavigableSet<Long> ticks = new TreeSet<>();

    /** @param earliest history is complete from the end of this tick on */
    TreeRemovals(MetaEngine engine, long earliest) {
        this.engine = engine;
        this.earliest = earliest;
    }

    /** A name that existed at the end of each tick in {@code [since, end)}, and its last inode. */
    private record Gone(long since, long end, long ino) {}

    /** An inode got a name in a tick. */
    private record Born(long ino, long tick) {}

    /**
     * How the directory that lost its name in this tick was removed. One that was moved, or replaced with all below it,
     * was removed at once.
     */
    RemovalSpan of(long directory, long since, long last) throws IOException {
        if (isThere(directory, last)) {
            return RemovalSpan.of(last);
        }
        gone.add(new Gone(since, last, directory));
        collect(directory);
        gone.removeIf(name -> born.contains(new Born(name.ino(), name.end())));   // it was moved, and removed later
        gone.forEach(name -> ticks.add(name.end()));
        long first = Math.max(first(last), Math.min(earliest + 1, last));
        return withEarlier(first, last);
    }

    private boolean isThere(long ino, long tick) throws IOException {
        return new PastEngine(engine, tick).read(tx -> tx.get(Keys.node(ino))) != null;
    }

    private void collect(long root) throws IOException {
        var seen = new HashSet<Long>(Set.of(root));
        var left = new ArrayDeque<Long>(seen);
        while (!left.isEmpty()) {
            long directory = left.removeLast();
            for (var below : below(directory)) {
                if (seen.add(below)) {
                    left.add(below);
                }
            }
        }
    }

    /** Adds the names removed from a directory; returns the removed directories among them. */
    private List<Long> below(long directory) throws IOException {
        var directories = new ArrayList<Long>();
        Gone open = null;
        MetaKey name = null;
        for (var prefix = Keys.historyOfEntries(directory); prefix != null; ) {
            var start = prefix;
            var page = engine.read(tx -> tx.scan(start, Keys.historyOfEntries(directory).afterPrefix(), PAGE));
            for (var row : page) {
                var version = require(row);
                var entry = (Row.Entry) version.row();
                var key = Keys.versioned(row.key());
                long since = version.since();
                if (open != null && key.equals(name) && open.end() == since) {
                    since = open.since();
                } else {
                    add(open);
                }
                open = new Gone(since, version.end(), entry.ino());
                name = key;
                born.add(new Born(entry.ino(), version.since()));
                if (entry.kind() == FileKind.DIRECTORY && !isThere(entry.ino(), version.end())) {
                    directories.add(entry.ino());
                }
            }
            prefix = page.size() < PAGE ? null : page.getLast().key().next();
        }
        add(open);
        for (var brief : Removals.below(engine, directory)) {
            ticks.add(brief.tick());
            if (brief.kind() == FileKind.DIRECTORY && !isThere(brief.ino(), brief.tick())) {
                directories.add(brief.ino());
            }
        }
        return directories;
    }

    private static Row.Version require(MetaEngine.Entry row) throws MetaDamagedException {
        if (Row.of(row) instanceof Row.Version version && version.row() instanceof Row.Entry) {
            return version;
        }
        throw MetaDamagedException.of(row.key(), "cannot be read", null);
    }

    private void add(@Nullable Gone name) {
        if (name != null) {
            gone.add(name);
        }
    }

    /** The tick in which the removal that ended with this one began. */
    private long first(long last) {
        long start = last;
        for (Long tick = ticks.lower(start); tick != null && start - tick <= PAUSE; tick = ticks.lower(start)) {
            start = tick;
        }
        var names = names(start);
        long first = last;
        long most = -1;
        for (long tick : ticks.subSet(start, true, last, true).descendingSet()) {
            var before = names.lowerEntry(tick);
            long there = before == null ? 0 : before.getValue();
            if (there > most) {
                most = there;
                first = tick;
            }
        }
        return first;
    }

    /** The number of names after each tick that changed it, except short-lived ones created after {@code start}. */
    private NavigableMap<Long, Long> names(long start) {
        var lasting = gone.stream().filter(name -> name.since() < start || name.end() - name.since() > PAUSE).toList();
        var changes = new TreeMap<Long, Long>();
        for (var each : lasting.size() > 1 ? lasting : gone) {   // one is the directory itself
            changes.merge(each.since(), 1L, Long::sum);
            changes.merge(each.end(), -1L, Long::sum);
        }
        long there = 0;
        for (var change : changes.entrySet()) {
            there += change.getValue();
            change.setValue(there);
        }
        return changes;
    }

    private RemovalSpan withEarlier(long first, long last) {
        var earlier = gone.stream().mapToLong(Gone::end).filter(end -> end < first && end > earliest).toArray();
        return new RemovalSpan(first, last, earlier.length, Arrays.stream(earlier).max());
    }
}

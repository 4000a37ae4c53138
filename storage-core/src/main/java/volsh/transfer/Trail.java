package volsh.transfer;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.Name;
import volsh.vfs.Vfs;

/**
 * Goes through a tree of a volume one step at a time, parents before children. In name order a page of entries per
 * level is in memory; in any other order, the directories on the way are.
 */
public final class Trail {
    private static final int PAGE = 256;

    private final Vfs vfs;
    private final Comparator<Found> order;
    private final Deque<Level> levels = new ArrayDeque<>();
    private Found entering;

    /**
     * A file met on the way. {@code path} is relative to where the trail began; {@code depth} is 1 for its direct
     * children.
     */
    public record Found(String path, long parent, Name name, Attributes attributes, int depth) {}

    /** A file met, or a directory after everything it holds. */
    public record Step(Found found, boolean leaving) {}

    private static final class Level {
        final Found found;
        final Deque<Found> waiting = new ArrayDeque<>();
        Name after;
        boolean exhausted;

        Level(Found found) {
            this.found = found;
        }
    }

    /** Everything below the directory, but not itself, in name order. */
    public Trail(Vfs vfs, long directory) throws IOException {
        this(vfs, directory, null);
    }

    /**
     * Everything below the directory, but not itself; each directory in the given order, or by name if that is null.
     */
    public Trail(Vfs vfs, long directory, Comparator<Found> order) throws IOException {
        this.vfs = vfs;
        this.order = order;
        levels.push(new Level(new Found("", 0, null, vfs.attributes(directory), 0)));
    }

    /** The next step; null at the end. */
    public Step next() throws IOException {
        if (entering != null) {
            levels.push(new Level(entering));
            entering = null;
        }
        while (!levels.isEmpty()) {
            var level = levels.peek();
            var found = next(level);
            if (found != null) {
                entering = found.attributes().isDirectory() ? found : null;
                return new Step(found, false);
            }
            levels.pop();
            if (level.found.depth() > 0) {
                return new Step(level.found, true);
            }
        }
        return null;
    }

    /** Does not go down into the directory just met, and does not leave it either. */
    public void skip() {
        entering = null;
    }

    private Found next(Level level) throws IOException {
        if (level.waiting.isEmpty() && order != null && !level.exhausted) {
            fillSorted(level);
        }
        while (level.waiting.isEmpty() && !level.exhausted) {
            level.waiting.addAll(page(level));
        }
        return level.waiting.poll();
    }

    private void fillSorted(Level level) throws IOException {
        var all = new ArrayList<Found>();
        while (!level.exhausted) {
            all.addAll(page(level));
        }
        all.sort(order);
        level.waiting.addAll(all);
    }

    /** The next entries that still exist; a directory that is gone meanwhile has none. */
    private List<Found> page(Level level) throws IOException {
        long directory = level.found.attributes().ino();
        var entries = vfs.list(directory, level.after, PAGE);
        level.exhausted = entries.size() < PAGE;
        if (entries.isEmpty()) {
            return List.of();
        }
        level.after = entries.getLast().name();
        var known = byInode(vfs.attributes(entries));
        var page = new ArrayList<Found>(entries.size());
        for (var entry : entries) {
            var attributes = known.get(entry.ino());
            if (attributes != null) {
                page.add(found(level.found, directory, entry, attributes));
            }
        }
        return page;
    }

    private static Found found(Found parent, long directory, DirectoryEntry entry, Attributes attributes) {
        var path = parent.path().isEmpty() ? entry.name().toString() : parent.path() + "/" + entry.name();
        return new Found(path, directory, entry.name(), attributes, parent.depth() + 1);
    }

    private static Map<Long, Attributes> byInode(List<Attributes> all) {
        var map = HashMap.<Long, Attributes>newHashMap(all.size());
        all.forEach(attributes -> map.put(attributes.ino(), attributes));
        return map;
    }
}

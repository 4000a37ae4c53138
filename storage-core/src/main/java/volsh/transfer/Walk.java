package volsh.transfer;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.Name;
import volsh.vfs.Vfs;

/** Goes through a tree of a volume, parents before children, names in order, a page of entries in memory per level. */
public final class Walk {
    private static final int PAGE = 256;

    private final Vfs vfs;

    public Walk(Vfs vfs) {
        this.vfs = vfs;
    }

    /** A file met on the way. {@code path} is relative to where the walk began; {@code depth} is 1 for its direct children. */
    public record Found(String path, long parent, Name name, Attributes attributes, int depth) {}

    /** What to do on the way. */
    public interface Visitor {
        /** Every file, directories before what they hold. Returns whether to go down into a directory. */
        boolean visit(Found found) throws IOException;

        /** A directory after everything it holds. */
        default void leave(Found directory) throws IOException {}
    }

    private static final class Level {
        final Found found;
        final Deque<Found> waiting = new ArrayDeque<>();
        Name after;
        boolean exhausted;

        Level(Found found) {
            this.found = found;
        }
    }

    /** Visits everything below the directory, but not itself. */
    public void below(long directory, Visitor visitor) throws IOException {
        Deque<Level> levels = new ArrayDeque<>();
        levels.push(new Level(new Found("", 0, null, vfs.attributes(directory), 0)));
        while (!levels.isEmpty()) {
            var level = levels.peek();
            if (level.waiting.isEmpty() && !level.exhausted) {
                fill(level);
            }
            var found = level.waiting.poll();
            if (found == null) {
                levels.pop();
                if (level.found.depth() > 0) {
                    visitor.leave(level.found);
                }
            } else if (visitor.visit(found) && found.attributes().isDirectory()) {
                levels.push(new Level(found));
            }
        }
    }

    private void fill(Level level) throws IOException {
        long directory = level.found.attributes().ino();
        var entries = vfs.list(directory, level.after, PAGE);
        level.exhausted = entries.size() < PAGE;
        if (entries.isEmpty()) {
            return;
        }
        level.after = entries.getLast().name();
        var known = byInode(vfs.attributes(entries));
        for (var entry : entries) {
            var attributes = known.get(entry.ino());
            if (attributes != null) {
                level.waiting.add(found(level.found, directory, entry, attributes));
            }
        }
    }

    private static Found found(Found parent, long directory, DirectoryEntry entry, Attributes attributes) {
        var path = parent.path().isEmpty() ? entry.name().toString() : parent.path() + "/" + entry.name();
        return new Found(path, directory, entry.name(), attributes, parent.depth() + 1);
    }

    private static Map<Long, Attributes> byInode(List<Attributes> all) {
        var map = new HashMap<Long, Attributes>();
        all.forEach(attributes -> map.put(attributes.ino(), attributes));
        return map;
    }

    /** The direct children of a directory. */
    public List<Found> children(long directory) throws IOException {
        var found = new ArrayList<Found>();
        below(directory, child -> {
            found.add(child);
            return false;
        });
        return found;
    }
}

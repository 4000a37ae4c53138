package volsh.transfer;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;
import volsh.fs.DamagedException;
import volsh.fs.DirectoryEntry;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.vfs.Vfs;

/**
 * Walks a tree of a volume one step at a time, parents before children. In name order a page of entries per level is in
 * memory; in any other order, all entries of the directories on the way are.
 *
 * <p>Damaged metadata does not hide the rest: an entry or inode that cannot be read is skipped, and a directory that
 * lies within itself is not entered again. The step behind the last one then fails with the first damage.
 */
public final class Trail {
    private static final int PAGE = 256;

    private final Vfs vfs;
    private final @Nullable Comparator<Found> order;
    private final Deque<Level> levels = new ArrayDeque<>();
    private final Set<Long> way = new HashSet<>();   // directories entered and not left yet
    private @Nullable Found entering;
    private @Nullable DamagedException damage;

    /**
     * A file that was met. {@code path} is relative to the start of the trail; {@code depth} is 1 for its direct
     * children.
     */
    public record Found(String path, long parent, Name name, Attributes attributes, int depth) {}

    /** A file met, or a directory after everything it holds. */
    public record Step(Found found, boolean leaving) {}

    private static final class Level {
        final String path;
        final Attributes attributes;
        final @Nullable Found found;   // null for the start of the trail
        final Deque<Found> waiting = new ArrayDeque<>();
        @Nullable Name after;
        long listed;
        boolean exhausted;

        Level(String path, Attributes attributes, @Nullable Found found) {
            this.path = path;
            this.attributes = attributes;
            this.found = found;
        }
    }

    /** All files below the directory, without itself, in name order. */
    public Trail(Vfs vfs, long directory) throws IOException {
        this(vfs, directory, null);
    }

    /** All files below the directory, without itself; each directory in the given order, or by name if that is null. */
    public Trail(Vfs vfs, long directory, @Nullable Comparator<Found> order) throws IOException {
        this.vfs = vfs;
        this.order = order;
        levels.push(new Level("", vfs.attributes(directory), null));
        way.add(directory);
    }

    /** The next step; null at the end. @throws DamagedException at the end, if something could not be shown */
    public @Nullable Step next() throws IOException {
        if (entering != null) {
            levels.push(new Level(entering.path(), entering.attributes(), entering));
            entering = null;
        }
        while (!levels.isEmpty()) {
            var level = levels.peek();
            var found = next(level);
            if (found != null) {
                if (isOnTheWay(found)) {
                    note(found.path(), new DamagedException(("metadata corrupt: the directory with inode %d lies "
                            + "within itself").formatted(found.attributes().ino()), null));
                    continue;
                }
                entering = found.attributes().isDirectory() ? found : null;
                return new Step(found, false);
            }
            levels.pop();
            way.remove(level.attributes.ino());
            if (level.found != null) {
                return new Step(level.found, true);
            }
        }
        var met = damage;
        damage = null;
        if (met != null) {
            throw met;
        }
        return null;
    }

    private boolean isOnTheWay(Found found) {
        return found.attributes().isDirectory() && !way.add(found.attributes().ino());
    }

    /** Whether something on the way so far could not be shown. */
    boolean isDamaged() {
        return damage != null;
    }

    private void note(String path, DamagedException met) {
        if (damage == null) {
            damage = new DamagedException(path.isEmpty() ? met.getMessage() : path + ": " + met.getMessage(), met);
        }
    }

    /** Skips the contents of the directory just met, and the step that leaves it. */
    public void skip() {
        if (entering != null) {
            way.remove(entering.attributes().ino());
        }
        entering = null;
    }

    private @Nullable Found next(Level level) throws IOException {
        if (level.waiting.isEmpty() && order != null && !level.exhausted) {
            fillSorted(level, order);
        }
        while (level.waiting.isEmpty() && !level.exhausted) {
            level.waiting.addAll(page(level));
        }
        return level.waiting.poll();
    }

    private void fillSorted(Level level, Comparator<Found> sorting) throws IOException {
        var all = new ArrayList<Found>();
        while (!level.exhausted) {
            all.addAll(page(level));
        }
        all.sort(sorting);
        level.waiting.addAll(all);
    }

    /** The next entries that still exist; none if the directory is gone. */
    private List<Found> page(Level level) throws IOException {
        long directory = level.attributes.ino();
        var entries = vfs.list(directory, level.after, PAGE);
        level.exhausted = entries.size() < PAGE;
        level.listed += entries.size();
        if (level.exhausted) {
            requireWhole(level);
        }
        if (entries.isEmpty()) {
            return List.of();
        }
        level.after = entries.getLast().name();
        var known = known(entries);
        var page = new ArrayList<Found>(entries.size());
        for (var entry : entries) {
            var attributes = known.containsKey(entry.ino()) ? known.get(entry.ino()) : single(level, entry);
            if (attributes != null) {
                page.add(new Found(path(level, entry), directory, entry.name(), attributes, levels.size()));
            }
        }
        return page;
    }

    private void requireWhole(Level level) throws IOException {
        try {
            vfs.requireWhole(level.attributes.ino(), level.listed);
        } catch (DamagedException damaged) {
            note(level.path, damaged);
        } catch (FsException gone) {
            // the directory was removed in the meantime
        }
    }

    /** The attributes of the entries; empty if one is damaged: then each is asked for by itself. */
    private Map<Long, Attributes> known(List<DirectoryEntry> entries) throws IOException {
        try {
            return byInode(vfs.attributes(entries));
        } catch (DamagedException some) {
            return Map.of();
        }
    }

    /** The attributes of a single entry; null if it is gone or damaged. */
    private @Nullable Attributes single(Level level, DirectoryEntry entry) throws IOException {
        try {
            return vfs.lookup(level.attributes.ino(), entry.name());
        } catch (FsException gone) {
            if (gone.error() != FsError.NO_ENTRY && gone.error() != FsError.NOT_DIRECTORY) {
                throw gone;
            }
            return null;
        } catch (DamagedException damaged) {
            note(path(level, entry), damaged);
            return null;
        }
    }

    private static String path(Level parent, DirectoryEntry entry) {
        return parent.path.isEmpty() ? entry.name().toString() : parent.path + "/" + entry.name();
    }

    private static Map<Long, Attributes> byInode(List<Attributes> all) {
        var map = HashMap.<Long, Attributes>newHashMap(all.size());
        all.forEach(attributes -> map.put(attributes.ino(), attributes));
        return map;
    }
}

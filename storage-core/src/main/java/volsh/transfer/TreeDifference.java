package volsh.transfer;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.Name;
import volsh.vfs.Vfs;

/**
 * The differences of two states of a tree, in name order, directories before their contents. A file that was moved is
 * removed in one place and new in the other. Reads names and attributes only: within one volume another content has
 * another version.
 */
public final class TreeDifference {
    private static final int PAGE = 500;

    private final Vfs before;
    private final Vfs after;
    private final Deque<Pair> left = new ArrayDeque<>();
    private final Deque<Change> found = new ArrayDeque<>();

    /** Compares the contents of these directories. */
    public TreeDifference(Vfs before, Attributes old, Vfs after, Attributes now) {
        this.before = before;
        this.after = after;
        left.add(new Pair("", Optional.of(old), Optional.of(now)));
    }

    /** What happened to a name. */
    public enum Kind {
        ADDED,
        REMOVED,
        /** Another content. */
        CHANGED,
        /** Another mode, owner or time. */
        ATTRIBUTES;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One difference; the path is below the directories compared. */
    public record Change(Kind kind, String path, Optional<Attributes> before, Optional<Attributes> after) {}

    /** A directory in either state, or in both. */
    private record Pair(String path, Optional<Attributes> before, Optional<Attributes> after) {}

    /** The next difference; null at the end. */
    public @Nullable Change next() throws IOException {
        while (found.isEmpty() && !left.isEmpty()) {
            compare(left.removeFirst());
        }
        return found.pollFirst();
    }

    private void compare(Pair directory) throws IOException {
        var old = new Names(before, directory.before());
        var now = new Names(after, directory.after());
        var deeper = new ArrayList<Pair>();
        while (old.peek() != null || now.peek() != null) {
            int order = old.peek() == null ? 1 : now.peek() == null ? -1
                    : old.peek().name().compareTo(now.peek().name());
            var gone = order <= 0 ? Optional.of(old.take()) : Optional.<Entry>empty();
            var come = order >= 0 ? Optional.of(now.take()) : Optional.<Entry>empty();
            var name = gone.or(() -> come).orElseThrow().name();
            compare(directory.path() + "/" + name, gone.map(Entry::attributes), come.map(Entry::attributes), deeper);
        }
        for (var pair : deeper.reversed()) {
            left.addFirst(pair);
        }
    }

    private void compare(String path, Optional<Attributes> gone, Optional<Attributes> come, List<Pair> deeper) {
        boolean both = gone.isPresent() && come.isPresent();
        if (both && gone.get().kind() != come.get().kind()) {
            compare(path, gone, Optional.empty(), deeper);
            compare(path, Optional.empty(), come, deeper);
            return;
        }
        if (!both) {
            found.add(new Change(gone.isPresent() ? Kind.REMOVED : Kind.ADDED, path, gone, come));
        } else if (!gone.get().isDirectory() && isOther(gone.get(), come.get())) {
            found.add(new Change(Kind.CHANGED, path, gone, come));
        } else if (hasOtherAttributes(gone.get(), come.get())) {
            found.add(new Change(Kind.ATTRIBUTES, path, gone, come));
        }
        if (gone.or(() -> come).orElseThrow().isDirectory()) {
            deeper.add(new Pair(path, gone, come));
        }
    }

    private static boolean isOther(Attributes one, Attributes other) {
        boolean same = one.ino() == other.ino();
        return one.size() != other.size() || (same ? one.version() != other.version() : one.mtime() != other.mtime());
    }

    private static boolean hasOtherAttributes(Attributes one, Attributes other) {
        return one.mode() != other.mode() || one.uid() != other.uid() || one.gid() != other.gid()
                || !one.isDirectory() && one.mtime() != other.mtime();
    }

    private record Entry(Name name, Attributes attributes) {}

    /** The entries of a directory in order, a page at a time. */
    private static final class Names {
        private final Vfs vfs;
        private final Optional<Attributes> directory;
        private final Deque<Entry> page = new ArrayDeque<>();
        private @Nullable Name last;
        private boolean over;

        Names(Vfs vfs, Optional<Attributes> directory) {
            this.vfs = vfs;
            this.directory = directory;
            this.over = directory.isEmpty();
        }

        @Nullable Entry peek() throws IOException {
            while (page.isEmpty() && !over) {
                var entries = vfs.list(directory.orElseThrow().ino(), last, PAGE);
                over = entries.size() < PAGE;
                last = entries.isEmpty() ? last : entries.getLast().name();
                add(entries);
            }
            return page.peekFirst();
        }

        private void add(List<DirectoryEntry> entries) throws IOException {
            var attributes = new HashMap<Long, Attributes>();
            vfs.attributes(entries).forEach(found -> attributes.put(found.ino(), found));
            for (var entry : entries) {
                if (attributes.containsKey(entry.ino())) {   // else it was removed in the meantime
                    page.add(new Entry(entry.name(), attributes.get(entry.ino())));
                }
            }
        }

        Entry take() throws IOException {
            peek();
            return page.removeFirst();
        }
    }
}

package volsh.command.object;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.fs.FileKind;
import volsh.tree.FileTree;
import volsh.tree.ImpliedDirectories;
import volsh.tree.TreeCursor;
import volsh.tree.TreeEntry;

/** The entries of several places, one place after the other, as {@code ls} and {@code find} show them. */
public final class EntryList {
    private final Settings settings;
    private final Deque<FileTree> left;
    private final boolean several;
    private @Nullable FileTree tree;
    private @Nullable TreeCursor cursor;

    /**
     * @param itself directories themselves, not their contents
     * @param recursive everything below
     * @param withTop the places too, before what is below them
     * @param order null for the order of listings, which needs no memory
     */
    public record Settings(boolean itself, boolean recursive, boolean withTop, boolean hidden,
            @Nullable Comparator<TreeEntry> order) {}

    /** An entry; {@code shown} tells it from the others, {@code path} is what other commands take. */
    public record Listed(String shown, String path, FileTree tree, TreeEntry entry) {
        /** How many directories it is below its place. */
        public int depth() {
            return entry.path().isEmpty() ? 0 : 1 + (int) entry.path().chars().filter(c -> c == '/').count();
        }

        public Optional<String> target() throws IOException {
            return entry.attributes().kind() == FileKind.SYMLINK ? Optional.of(tree.target(entry)) : Optional.empty();
        }
    }

    public EntryList(OpenPlaces places, List<String> words, Settings settings) throws IOException {
        this.settings = settings;
        this.several = words.size() > 1;
        var trees = new ArrayList<FileTree>();
        for (String word : words) {
            var found = places.tree(places.place(word));
            OpenPlaces.top(found);
            trees.add(found);
        }
        this.left = new ArrayDeque<>(trees);
    }

    /** Null at the end. */
    public @Nullable Listed next() throws IOException {
        while (true) {
            if (cursor == null || tree == null) {
                var place = left.poll();
                if (place == null) {
                    return null;
                }
                var top = OpenPlaces.top(place);
                tree = place;
                cursor = settings.itself || !top.isDirectory() ? () -> null : contents(place);
                if (settings.itself || !top.isDirectory() || settings.withTop) {
                    return new Listed(place.name(""), place.name(""), place, top);
                }
            }
            var entry = cursor.next();
            if (entry == null) {
                cursor = null;
                continue;
            }
            if (!isHidden(entry)) {
                String path = tree.name(entry.path());
                return new Listed(several || settings.withTop ? path : entry.path(), path, tree, entry);
            }
        }
    }

    private boolean isHidden(TreeEntry entry) {
        return !settings.hidden && (entry.path().startsWith(".") || entry.path().contains("/."));
    }

    private TreeCursor contents(FileTree place) throws IOException {
        var listed = settings.recursive ? new ImpliedDirectories(place.below("")) : place.children("");
        var order = settings.order;
        return order == null ? listed : sorted(listed, order);
    }

    private static TreeCursor sorted(TreeCursor listed, Comparator<TreeEntry> order) throws IOException {
        var all = new ArrayList<TreeEntry>();
        for (var entry = listed.next(); entry != null; entry = listed.next()) {
            all.add(entry);
        }
        all.sort(order);
        var next = new ArrayDeque<>(all);
        return next::poll;
    }
}

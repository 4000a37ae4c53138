package volsh.command.object;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.tree.FileTree;
import volsh.tree.TreeCursor;
import volsh.tree.TreeEntry;

/** Sums up places as {@code du} does, directory by directory: keys in order need no memory but the way to them. */
public final class EntrySums {
    private final Deque<FileTree> left = new ArrayDeque<>();
    private final Deque<Sum> open = new ArrayDeque<>();
    private final Deque<Sum> ready = new ArrayDeque<>();
    private @Nullable TreeCursor cursor;
    private @Nullable FileTree tree;

    /** What a directory holds, or a file. */
    public static final class Sum {
        private final String directory;     // relative, with a slash at its end; empty for the place itself
        private final String path;
        private final int depth;
        private final boolean file;
        private long size;
        private long files;

        Sum(String directory, String path, int depth, boolean file) {
            this.directory = directory;
            this.path = path;
            this.depth = depth;
            this.file = file;
        }

        public String path() {
            return path;
        }

        public int depth() {
            return depth;
        }

        public boolean isFile() {
            return file;
        }

        public long size() {
            return size;
        }

        public long files() {
            return files;
        }
    }

    public EntrySums(OpenPlaces places, List<String> words) throws IOException {
        for (String word : words) {
            var found = places.tree(places.place(word));
            OpenPlaces.top(found);
            left.add(found);
        }
    }

    /** Null at the end. */
    public @Nullable Sum next() throws IOException {
        while (ready.isEmpty()) {
            var at = tree;
            if (cursor == null || at == null) {
                if (left.isEmpty()) {
                    return null;
                }
                begin(left.remove());
                continue;
            }
            var entry = cursor.next();
            if (entry == null) {
                closeUntil("");
                ready.add(open.pop());
                cursor = null;
            } else {
                take(at, entry);
            }
        }
        return ready.remove();
    }

    private void begin(FileTree place) throws IOException {
        var top = OpenPlaces.top(place);
        tree = place;
        if (top.isDirectory()) {
            open.push(new Sum("", place.name(""), 0, false));
            cursor = place.below("");
        } else {
            var sum = new Sum("", place.name(""), 0, false);
            sum.size = top.size();
            sum.files = 1;
            ready.add(sum);
        }
    }

    private void take(FileTree at, TreeEntry entry) {
        String key = entry.sortKey();
        closeUntil(key);
        for (int slash = key.indexOf('/', open.peek().directory.length()); slash >= 0; slash = key.indexOf('/',
                slash + 1)) {
            String directory = key.substring(0, slash + 1);
            open.push(new Sum(directory, at.name(key.substring(0, slash)), open.size(), false));
        }
        if (!entry.isDirectory()) {
            var sum = new Sum(key, at.name(entry.path()), open.size(), true);
            sum.size = entry.size();
            sum.files = entry.isRegular() || !entry.isObject() ? 1 : 0;
            ready.add(sum);
            open.peek().size += sum.size;
            open.peek().files += sum.files;
        }
    }

    /** Ends the directories that the key is not in. */
    private void closeUntil(String key) {
        while (!key.startsWith(open.peek().directory)) {
            var sum = open.pop();
            ready.add(sum);
            open.peek().size += sum.size;
            open.peek().files += sum.files;
        }
    }
}

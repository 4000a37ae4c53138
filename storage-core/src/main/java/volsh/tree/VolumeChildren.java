package volsh.tree;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.Name;
import volsh.object.KeyOrdering;
import volsh.vfs.Vfs;

/**
 * A directory of a volume, page by page. It is in the order of names; directories wait until their slash is next, so
 * that {@code a.txt} comes before what is in {@code a}.
 */
final class VolumeChildren implements TreeCursor {
    private static final int PAGE = 256;
    private static final Comparator<TreeEntry> ORDER = TreeEntry::compare;

    private final Vfs vfs;
    private final long directory;
    private final String path;
    private final Deque<TreeEntry> page = new ArrayDeque<>();
    private final PriorityQueue<TreeEntry> waiting = new PriorityQueue<>(ORDER);
    private @Nullable Name after;
    private boolean exhausted;

    VolumeChildren(Vfs vfs, long directory, String path) {
        this.vfs = vfs;
        this.directory = directory;
        this.path = path;
    }

    @Override
    public @Nullable TreeEntry next() throws IOException {
        while (true) {
            if (page.isEmpty() && !exhausted) {
                load();
                continue;
            }
            var next = page.peek();
            var first = waiting.peek();
            if (first != null && (next == null || KeyOrdering.BYTES.compare(first.sortKey(), next.path()) < 0)) {
                return waiting.remove();
            }
            if (next == null) {
                return null;
            }
            page.remove();
            if (!next.isDirectory()) {
                return next;
            }
            waiting.add(next);
        }
    }

    private void load() throws IOException {
        List<DirectoryEntry> entries = vfs.list(directory, after, PAGE);
        exhausted = entries.size() < PAGE;
        if (entries.isEmpty()) {
            return;
        }
        after = entries.getLast().name();
        var files = new HashMap<Long, Attributes>();
        vfs.attributes(entries).forEach(file -> files.put(file.ino(), file));
        for (var entry : entries) {
            if (files.containsKey(entry.ino())) {   // else it was removed meanwhile
                String name = new String(entry.name().bytes(), StandardCharsets.UTF_8);
                page.add(VolumeTree.entry(path.isEmpty() ? name : path + '/' + name,
                        Objects.requireNonNull(files.get(entry.ino()))));
            }
        }
    }
}

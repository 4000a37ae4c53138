package volsh.command.object;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.tree.FileTree;
import volsh.tree.TreeEntry;

/** The originals of a move. They are removed when their copies are safe, and only those that were copied. */
final class MovedEntries {
    private final FileTree tree;
    private final List<TreeEntry> copied = new ArrayList<>();

    MovedEntries(FileTree tree) {
        this.tree = tree;
    }

    synchronized void add(TreeEntry file) {
        copied.add(file);
    }

    /** Removes the originals; {@code top} is the source itself if all of it was copied: its directories go, too. */
    synchronized void remove(Optional<TreeEntry> top) throws IOException {
        if (!copied.isEmpty()) {
            tree.remove(copied);
        }
        if (top.isPresent() && top.get().isDirectory()) {
            var directories = new ArrayDeque<TreeEntry>();
            var cursor = tree.below("");
            for (var entry = cursor.next(); entry != null; entry = cursor.next()) {
                if (entry.isDirectory()) {
                    directories.push(entry);
                }
            }
            if (!top.get().isObject()) {
                directories.addLast(top.get());
            }
            tree.remove(List.copyOf(directories));
        }
        tree.sync();
    }
}

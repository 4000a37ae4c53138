package volsh.command.object;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.fs.ShellWord;
import volsh.transfer.Observer;
import volsh.transfer.Summary;
import volsh.tree.FileTree;
import volsh.tree.TreeEntry;
import volsh.unit.ByteSize;
import volsh.unit.Count;

/** Removes what is at a place: objects a thousand at a time, directories after their contents. */
public final class EntryRemoval {
    private static final int BATCH = 1000;
    private static final int COUNTED_MAX = 100_000;

    private final FileTree tree;
    private final TreeEntry top;

    /** @throws CommandFailure if the place is a directory and {@code recursive} is not set */
    public EntryRemoval(FileTree tree, TreeEntry top, boolean recursive) {
        this.tree = tree;
        this.top = top;
        if (top.isDirectory() && !recursive) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0021", tree.name("") + ": is a directory")
                    .hint("what -r would remove: volsh rm -r --dry-run " + ShellWord.of(tree.name("")));
        }
    }

    public boolean isTree() {
        return top.isDirectory();
    }

    public String name() {
        return tree.name("");
    }

    /** What there is to remove, in words. */
    public String extent() throws IOException {
        if (!top.isDirectory()) {
            return new ByteSize(top.size()).toString();
        }
        long files = 0;
        long bytes = 0;
        var cursor = tree.below("");
        var entry = cursor.next();
        for (; entry != null && files < COUNTED_MAX; entry = cursor.next()) {
            files += entry.isDirectory() ? 0 : 1;
            bytes += entry.size();
        }
        return (entry == null ? "" : "more than ") + Count.of(files, "file") + ", " + new ByteSize(bytes);
    }

    /** Removes it. What was removed before a failure stays removed. */
    public Summary run(Observer observer) throws IOException {
        var counted = new long[3];
        var batch = new ArrayList<TreeEntry>();
        var directories = new ArrayDeque<TreeEntry>();
        if (top.isDirectory()) {
            var cursor = tree.below("");
            for (var entry = cursor.next(); entry != null; entry = cursor.next()) {
                if (entry.isDirectory() && !entry.isObject()) {
                    directories.push(entry);
                } else {
                    add(batch, entry, counted, observer);
                }
            }
            remove(batch, observer);
            for (var directory : directories) {
                tree.remove(List.of(directory));
            }
        }
        if (!top.isDirectory() || !top.isObject()) {
            add(batch, top, counted, observer);
            remove(batch, observer);
        } else {
            removeMarker();
        }
        tree.sync();
        return new Summary(counted[0], directories.size() + (top.isDirectory() ? 1 : 0), counted[1], 0);
    }

    /** The object that stands for the directory itself, if there is one. */
    private void removeMarker() throws IOException {
        if (top.origin() instanceof TreeEntry.Origin.Key(var key) && !key.isEmpty()) {
            String marker = key.endsWith("/") ? key : key + '/';
            tree.remove(List.of(new TreeEntry("", top.attributes(), "", new TreeEntry.Origin.Key(marker))));
        }
    }

    private void add(List<TreeEntry> batch, TreeEntry entry, long[] counted, Observer observer)
            throws IOException {
        batch.add(entry);
        counted[0] += entry.isDirectory() ? 0 : 1;
        counted[1] += entry.size();
        if (batch.size() == BATCH) {
            remove(batch, observer);
        }
    }

    private void remove(List<TreeEntry> batch, Observer observer) throws IOException {
        if (observer.cancelled()) {
            throw new InterruptedIOException("cancelled");
        }
        tree.remove(batch);
        observer.done(batch.size(), 0);
        batch.clear();
    }
}

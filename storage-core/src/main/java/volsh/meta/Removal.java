package volsh.meta;

import java.io.IOException;
import volsh.engine.Keys;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;

/** Removes names within one change. The caller must hold the directory that loses the name. */
public final class Removal {
    private final Edit edit;

    public Removal(Edit edit) {
        this.edit = edit;
    }

    void unlink(long parent, DirectoryEntry entry) throws IOException {
        edit.keepLast(parent, entry);
        edit.remove(Keys.entry(parent, entry.name()));
        edit.count(parent, -1, 0);
        drop(entry);
    }

    /** Frees the name for another inode, which the caller is about to enter. */
    public void replace(long parent, DirectoryEntry entry) throws IOException {
        edit.keepLast(parent, entry);
        drop(entry);
    }

    /** Drops one link of this inode; with the last one it becomes an orphan. */
    private void drop(DirectoryEntry entry) throws IOException {
        var node = edit.node(entry.ino());
        edit.putNode(
                entry.ino(),
                node.links() > 1 ? node.withLinks(node.links() - 1).withCtime(edit.now)
                        : edit.orphan(entry.ino(), node));
    }

    void removeDirectory(long parent, DirectoryEntry entry) throws IOException {
        requireEmptyDirectory(entry);
        edit.keepLast(parent, entry);
        edit.remove(Keys.entry(parent, entry.name()));
        edit.count(parent, -1, -1);
        dropDirectory(entry.ino());
    }

    void requireEmptyDirectory(DirectoryEntry entry) throws IOException {
        if (entry.kind() != FileKind.DIRECTORY) {
            throw new FsException(FsError.NOT_DIRECTORY);
        }
        if (!edit.isEmpty(entry.ino())) {
            throw new FsException(FsError.NOT_EMPTY);
        }
    }

    /** Deletes the row: a concurrent create that holds it fails. */
    public void dropDirectory(long ino) throws IOException {
        var node = edit.node(ino);
        edit.remove(Keys.node(ino));
        edit.removeAll(Keys.attributes(ino), 256);
        var counters = Keys.directoryCounters(ino);
        for (var row : edit.tx.scan(counters, counters.afterPrefix(), 8)) {
            edit.tx.delete(row.key());
        }
        edit.use(ino, node, 0, -1);
    }
}

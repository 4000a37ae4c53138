package volsh.upkeep.repair;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import volsh.fs.FileKind;
import volsh.inventory.Row;
import volsh.meta.Namespace;
import volsh.meta.NodeRow;
import volsh.meta.NodeRow.Storage;

/** The directory for inodes that have lost their names. Counters of directories are left to a later repair. */
final class LostAndFound {
    static final String NAME = "lost+found";

    private final RepairDraft draft;

    LostAndFound(RepairDraft draft) {
        this.draft = draft;
    }

    /** Gives the inode a name there; returns the directory. */
    long take(long ino, FileKind kind, String name) throws IOException {
        long directory = directory();
        var bytes = name.getBytes(StandardCharsets.US_ASCII);
        for (int n = 1; draft.value(new Row.Entry(directory, bytes, 0, ino, kind).entry().key()) != null; n++) {
            bytes = (name + "." + n).getBytes(StandardCharsets.US_ASCII);
        }
        draft.put(new Row.Entry(directory, bytes, tick(), ino, kind));
        return directory;
    }

    private long directory() throws IOException {
        var name = NAME.getBytes(StandardCharsets.US_ASCII);
        var key = new Row.Entry(Namespace.ROOT, name, 0, 0, FileKind.DIRECTORY).entry().key();
        if (draft.row(key) instanceof Row.Entry entry) {
            if (entry.kind() == FileKind.DIRECTORY && draft.row(Row.from('N', entry.ino())) instanceof Row.Node node
                    && node.row().isDirectory()) {
                return entry.ino();
            }
            return Namespace.ROOT;   // a file has that name
        }
        long ino = newInode();
        draft.put(new Row.Node(ino, tick(), node(FileKind.DIRECTORY, 0700, 2, Namespace.ROOT, 0, Storage.NONE, 0)));
        draft.put(new Row.Entry(Namespace.ROOT, name, tick(), ino, FileKind.DIRECTORY));
        return ino;
    }

    /** An unused inode number; it is consumed. */
    long newInode() throws IOException {
        return newNumber("inode", 2);
    }

    /** An unused block number; it is consumed. */
    long newBlock() throws IOException {
        return newNumber("block", 1);
    }

    private long newNumber(String of, long first) throws IOException {
        var counter = draft.row(new Row.NextNumber(of, 0).entry().key());
        long number = counter instanceof Row.NextNumber next ? next.next() : first;
        draft.put(new Row.NextNumber(of, number + 1));
        return number;
    }

    /** The tick of new rows. */
    long tick() throws IOException {
        return draft.row(new Row.Tick(0).entry().key()) instanceof Row.Tick(long tick) ? tick : 0;
    }

    /** An inode owned by root, with the time of the tick. */
    NodeRow node(FileKind kind, int mode, int links, long parent, long size, Storage storage, long allocated)
            throws IOException {
        long now = tick() * 1_000_000_000L;
        return new NodeRow(kind, storage, mode, 0, 0, links, 0, 0, 0, parent, size, allocated, now, now, now, 1);
    }
}

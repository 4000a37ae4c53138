package volsh.fuse.jnr;

import java.io.IOException;
import java.util.List;
import volsh.engine.MetaDamagedException;
import volsh.fs.FileKind;
import volsh.fuse.Handles;
import volsh.fuse.MountOptions;
import volsh.vfs.OpenDirectory;
import volsh.vfs.Vfs;

/** The operations that read directories. Cookie 1 follows {@code .}, 2 follows {@code ..}; then come the entries. */
final class DirectoryOperations {
    private static final int ENTRIES_PER_PAGE = 128;
    private static final byte[] DOT = {'.'};
    private static final byte[] DOT_DOT = {'.', '.'};

    private final Vfs vfs;
    private final JnrPaths walk;
    private final MountOptions options;
    private final Handles handles;

    DirectoryOperations(Vfs vfs, JnrPaths walk, MountOptions options, Handles handles) {
        this.vfs = vfs;
        this.walk = walk;
        this.options = options;
        this.handles = handles;
    }

    void open(long path, FileInfo info) throws IOException {
        info.handle(handles.addDirectory(vfs.openDirectory(walk.inode(path))));
    }

    void read(FileInfo info, long page, long function, long cookie) throws IOException {
        var directory = handles.directory(info.handle());
        long node = directory.ino();
        try (var filler = new Filler(function, page)) {
            if (cookie == 0 && !filler.add(DOT, node, FileKind.DIRECTORY, 1)) {
                return;
            }
            if (cookie <= 1 && !filler.add(DOT_DOT, above(node), FileKind.DIRECTORY, 2)) {
                return;
            }
            long at = Math.max(0, cookie - 2);
            boolean answered = false;
            while (true) {
                List<OpenDirectory.Numbered> entries;
                try {
                    entries = directory.read(at, ENTRIES_PER_PAGE);
                } catch (MetaDamagedException damaged) {
                    if (answered) {
                        return;   // these are delivered, and the next request fails
                    }
                    throw damaged;
                }
                answered = true;
                for (var numbered : entries) {
                    var entry = numbered.entry();
                    if (!filler.add(entry.name().bytes(), entry.ino(), entry.kind(), numbered.cookie() + 2)) {
                        return;
                    }
                }
                if (entries.isEmpty()) {
                    filler.end();
                    return;
                }
                at = entries.getLast().cookie();
            }
        }
    }

    private long above(long node) throws IOException {
        return node == options.root() ? node : vfs.parent(node);
    }

    void release(FileInfo info) throws IOException {
        handles.close(info.handle());
    }
}

package volsh.upkeep;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.inventory.Row;
import volsh.meta.Namespace;

/** Finds a path for each inode, by its parent field. Caches what it found. */
public final class InodePathFinder {
    private static final int REMEMBERED = 10_000;
    /** Cached names of one directory. */
    private static final int NAMES_REMEMBERED = 1 << 20;

    private final MetaEngine engine;
    private final Map<Long, String> known = new HashMap<>();
    private final Map<Long, String> names = new HashMap<>();   // of the directory that was read last
    private @Nullable Cursor entries;   // the part of it that was not read yet
    private long directory;

    public InodePathFinder(MetaEngine engine) {
        this.engine = engine;
    }

    /** The path, or {@code inode N} if none can be found. */
    public String of(long ino) throws IOException {
        var seen = new HashSet<Long>();
        var parts = new ArrayList<String>();
        long at = ino;
        while (at != Namespace.ROOT) {
            String found = known.get(at);
            if (found != null) {
                return parts.isEmpty() ? found : found + "/" + String.join("/", parts.reversed());
            }
            if (!seen.add(at) || !(read(Row.from('N', at)) instanceof Row.Node node)) {
                return "inode " + Long.toUnsignedString(ino);
            }
            String name = name(node.row().parent(), at);
            if (name == null) {
                return "inode " + Long.toUnsignedString(ino);
            }
            parts.add(name);
            at = node.row().parent();
        }
        String path = "/" + String.join("/", parts.reversed());
        if (known.size() < REMEMBERED) {
            known.put(ino, path);
        }
        return path;
    }

    /** The path of a name of it in this directory: for an inode that does not exist itself. */
    public String in(long directory, long ino) throws IOException {
        String name = directory == 0 ? null : name(directory, ino);
        String path = name == null ? "" : of(directory);
        return path.startsWith("/") ? (path.equals("/") ? "" : path) + "/" + name : of(ino);
    }

    private @Nullable Row read(volsh.engine.MetaKey key) throws IOException {
        byte[] value = engine.survey(tx -> tx.get(key));
        return value == null ? null : Row.of(new MetaEngine.Entry(key, value));
    }

    /** Damaged inodes are often close together: a directory is read once for consecutive requests. */
    private @Nullable String name(long directory, long ino) throws IOException {
        var rows = entries;
        if (rows == null || this.directory != directory || names.size() >= NAMES_REMEMBERED) {
            this.directory = directory;
            var from = Row.from('E', directory);
            rows = new Cursor(engine, from, from.afterPrefix(), Watcher.NONE);
            entries = rows;
            names.clear();
        }
        while (!names.containsKey(ino) && rows.peek() != null && names.size() < NAMES_REMEMBERED) {
            if (Row.of(rows.next()) instanceof Row.Entry entry) {
                names.putIfAbsent(entry.ino(), text(entry));
            }
        }
        // beyond the limit, the rest is read again next time
        while (!names.containsKey(ino) && rows.peek() != null) {
            if (Row.of(rows.next()) instanceof Row.Entry entry && entry.ino() == ino) {
                return text(entry);
            }
        }
        return names.get(ino);
    }

    private static String text(Row.Entry entry) {
        try {
            return Name.of(entry.name()).toString();
        } catch (FsException invalid) {
            return "?";
        }
    }

    public List<String> of(List<Long> inos) throws IOException {
        var paths = new ArrayList<String>();
        for (long ino : inos) {
            paths.add(of(ino));
        }
        return paths;
    }
}

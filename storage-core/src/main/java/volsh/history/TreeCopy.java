package volsh.history;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaKey;
import volsh.fs.DirectoryEntry;
import volsh.fs.Extent;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.meta.Changes;
import volsh.meta.Edit;
import volsh.meta.Namespace;
import volsh.meta.NodeRow;
import volsh.meta.NodeRow.Storage;
import volsh.meta.View;

/**
 * One copy of a tree while it is made. Reads a page of a directory at a time, with the rows of its files; writes are
 * gathered into transactions of a bounded size. Remembers the directories yet to be copied, and the files with several
 * names.
 */
final class TreeCopy {
    /** Extended attributes that a file may have. */
    static final int ATTRIBUTES = 256;

    private static final int ROWS = 300;
    private static final int BYTES = 1 << 20;
    private static final int PAGE = 200;
    private static final int EXTENTS = 100;

    private final Changes past;
    private final Namespace names;
    private final long place;
    private final Trees.Watcher watcher;
    private final Deque<Pair> directories = new ArrayDeque<>();
    private final Map<Long, Long> linked = new HashMap<>();
    private final Set<Long> copied = new HashSet<>();   // directories
    private final List<Piece> pieces = new ArrayList<>();
    private int project;
    private int rows;
    private int bytes;
    private int files;
    private long size;

    TreeCopy(Changes past, Namespace names, long place, Trees.Watcher watcher) {
        this.past = past;
        this.names = names;
        this.place = place;
        this.watcher = watcher;
    }

    /** A directory and its copy. */
    private record Pair(long source, long copy) {}

    /** A part of a transaction. It may be run more than once. */
    private interface Piece {
        void write(Edit edit) throws IOException;
    }

    /** The rows of an inode: inline bytes, link target, extended attributes by key, first extents. */
    private record Belongings(byte @Nullable [] inline, byte @Nullable [] target, Map<MetaKey, byte[]> attributes,
            List<Extent> extents) {
        static final Belongings NONE = new Belongings(null, null, Map.of(), List.of());
    }

    long run(long ino) throws IOException {
        project = names.changes().look(view -> view.directory(place).project());
        var node = past.look(view -> attributed(view, ino));
        long copy = names.newInode();
        var belongings = past.look(view -> belongings(view, Map.of(ino, node))).getOrDefault(ino, Belongings.NONE);
        add(2 + rows(belongings), length(belongings), edit -> {
            edit.tx.put(Keys.orphan(edit.tick(), copy), new byte[0]);
            var born = born(node, edit.tick(), edit.now).withLinks(node.isDirectory() ? 2 : 0);
            write(edit, copy, born, belongings);
            edit.use(copy, born, 0, node.isDirectory() ? 1 : 0);
        });
        if (node.isDirectory()) {
            copied.add(ino);
            directories.add(new Pair(ino, copy));
        } else {
            addRest(ino, copy, belongings);
            files++;
            size += node.size();
        }
        while (!directories.isEmpty()) {
            copyEntries(directories.removeLast());
        }
        flush();
        return copy;
    }

    /** The row with the times that the directory had for readers. */
    private static NodeRow attributed(View view, long ino) throws IOException {
        var node = view.node(ino);
        return node.isDirectory() ? node.withTimes(node.atime(), view.attributes(ino, node).mtime(), node.ctime())
                : node;
    }

    private void copyEntries(Pair directory) throws IOException {
        var prefix = Keys.entries(directory.source());
        for (var from = prefix; from != null; ) {
            var start = from;
            var page = past.look(view -> view.tx.scan(start, prefix.afterPrefix(), PAGE));
            copyPage(directory.copy(), page);
            from = page.size() < PAGE ? null : page.getLast().key().next();
        }
    }

    private void copyPage(long parent, List<Entry> page) throws IOException {
        var entries = new ArrayList<DirectoryEntry>();
        for (var row : page) {
            entries.add(View.entry(row));
        }
        var nodes = past.look(view -> nodes(view, entries));
        var belongings = past.look(view -> belongings(view, nodes));
        for (var entry : entries) {
            if (watcher.cancelled()) {
                throw new FsException(FsError.INTERRUPTED);
            }
            copyEntry(parent, entry, Objects.requireNonNull(nodes.get(entry.ino())),
                    belongings.getOrDefault(entry.ino(), Belongings.NONE));
        }
    }

    private static Map<Long, NodeRow> nodes(View view, List<DirectoryEntry> entries) throws IOException {
        var found = view.tx.getAll(entries.stream().map(entry -> Keys.node(entry.ino())).toList());
        var nodes = new TreeMap<Long, NodeRow>();
        for (var entry : entries) {
            byte[] row = found.get(Keys.node(entry.ino()));
            if (row == null) {
                throw MetaDamagedException.of(Keys.node(entry.ino()),
                        "is missing, but the entry '%s' refers to it".formatted(entry.name()), null);
            }
            boolean directory = entry.kind() == FileKind.DIRECTORY;
            nodes.put(entry.ino(),
                    directory ? attributed(view, entry.ino()) : NodeRow.read(Keys.node(entry.ino()), row));
        }
        return nodes;
    }

    /** Requires that a directory has one name: with another one, the tree might never end. */
    private void requireOnce(DirectoryEntry directory) throws MetaDamagedException {
        if (!copied.add(directory.ino())) {
            throw new MetaDamagedException("metadata corrupt: the directory with inode %d has another name beside '%s'"
                    .formatted(directory.ino(), directory.name()));
        }
    }

    private void copyEntry(long parent, DirectoryEntry entry, NodeRow node, Belongings belongings) throws IOException {
        Long known = linked.get(entry.ino());
        if (known != null) {
            add(3, 0, edit -> {
                var copied = edit.node(known);
                edit.putNode(known, copied.withLinks(copied.links() + 1));
                enter(edit, parent, entry.name(), known, entry.kind());
            });
            return;
        }
        long copy = names.newInode();
        if (node.isDirectory()) {
            requireOnce(entry);
            directories.add(new Pair(entry.ino(), copy));
        } else if (node.links() > 1) {
            linked.put(entry.ino(), copy);
        }
        add(3 + rows(belongings), length(belongings), edit -> {
            var born = born(node, parent, edit.now);
            write(edit, copy, born, belongings);
            enter(edit, parent, entry.name(), copy, entry.kind());
            edit.use(copy, born, node.size(), 1);
        });
        addRest(entry.ino(), copy, belongings);
        files += node.isDirectory() ? 0 : 1;
        size += node.size();
    }

    private static void enter(Edit edit, long parent, Name name, long ino, FileKind kind) throws IOException {
        edit.put(Keys.entry(parent, name), View.entryRow(ino, kind));
        edit.countQuietly(parent, 1, kind == FileKind.DIRECTORY ? 1 : 0);
    }

    /** The copy of a row, with one name. */
    private NodeRow born(NodeRow node, long parent, long now) {
        return new NodeRow(
                node.kind(), node.storage(), node.mode(), node.uid(), node.gid(), node.isDirectory() ? 2 : 1,
                node.device(), project, node.layout(), parent, node.size(), node.allocated(), node.atime(),
                node.mtime(), now, 1);
    }

    private static void write(Edit edit, long ino, NodeRow node, Belongings belongings) throws IOException {
        long held = belongings.inline() != null ? belongings.inline().length : 0;
        for (var extent : belongings.extents()) {
            lay(edit, ino, extent);
            held += extent.length();
        }
        edit.putNew(Keys.node(ino), node.changed(node.storage(), node.size(),
                node.kind() == FileKind.REGULAR ? held : node.allocated()).toBytes());
        if (belongings.inline() != null) {
            edit.putNew(Keys.inline(ino), belongings.inline());
        }
        if (belongings.target() != null) {
            edit.putNew(Keys.target(ino), belongings.target());
        }
        for (var attribute : belongings.attributes().entrySet()) {
            edit.putNew(Keys.attribute(ino, Keys.name(attribute.getKey())), attribute.getValue());
        }
    }

    private static void lay(Edit edit, long ino, Extent extent) throws IOException {
        edit.putNew(Keys.extent(ino, extent.end()), View.extentRow(extent));
        edit.uses().add(extent.block());
    }

    /** The extents of a long file after the first ones. */
    private void addRest(long source, long copy, Belongings belongings) throws IOException {
        for (var last = belongings.extents(); last.size() >= EXTENTS; ) {
            long from = last.getLast().end();
            var more = past.look(view -> view.extents(source, from, Long.MAX_VALUE, EXTENTS));
            add(1 + 2 * more.size(), 0, edit -> {
                var node = edit.node(copy);
                for (var extent : more) {
                    lay(edit, copy, extent);
                }
                long held = more.stream().mapToLong(Extent::length).sum();
                edit.putNode(copy, node.changed(node.storage(), node.size(), node.allocated() + held));
            });
            last = more;
        }
    }

    // ---- transactions

    private static int rows(Belongings belongings) {
        return 1 + belongings.attributes().size() + 2 * belongings.extents().size();
    }

    private static int length(Belongings belongings) {
        return (belongings.inline() == null ? 0 : belongings.inline().length)
                + belongings.attributes().values().stream().mapToInt(value -> value.length).sum();
    }

    private void add(int moreRows, int moreBytes, Piece piece) throws IOException {
        if (rows + moreRows > ROWS || bytes + moreBytes > BYTES) {
            flush();
        }
        rows += moreRows;
        bytes += moreBytes;
        pieces.add(piece);
    }

    private void flush() throws IOException {
        names.changes().change(edit -> {
            for (var piece : pieces) {
                piece.write(edit);
            }
            return null;
        });
        pieces.clear();
        rows = 0;
        bytes = 0;
        watcher.copied(files, size);
        files = 0;
        size = 0;
    }

    // ---- rows of inodes

    /** For many inodes at once: those of one directory were often created together, and so their rows are adjacent. */
    private static Map<Long, Belongings> belongings(View view, Map<Long, NodeRow> nodes) throws IOException {
        var inline = values(view, nodes, Storage.INLINE);
        var targets = new HashMap<Long, byte[]>();
        var attributes = new HashMap<Long, Map<MetaKey, byte[]>>();
        var extents = new HashMap<Long, List<Extent>>();
        for (var row : below(view, 'A', new TreeMap<>(nodes).keySet(), ATTRIBUTES)) {
            attributes.computeIfAbsent(Keys.number(row.key(), 0), ino -> new TreeMap<>())
                    .put(row.key(), View.bytes(View.content(row.value())));
        }
        var large = nodes.entrySet().stream().filter(node -> node.getValue().storage() == Storage.EXTENTS)
                .map(Map.Entry::getKey).sorted().toList();
        for (var row : below(view, 'X', large, EXTENTS)) {
            var some = extents.computeIfAbsent(Keys.number(row.key(), 0), ino -> new ArrayList<>());
            if (some.size() < EXTENTS) {
                some.add(View.extent(row));
            }
        }
        for (var node : nodes.entrySet()) {
            if (node.getValue().kind() == FileKind.SYMLINK) {
                targets.put(node.getKey(), target(view, node.getKey()));
            }
        }
        var found = new HashMap<Long, Belongings>();
        for (long ino : nodes.keySet()) {
            found.put(ino, new Belongings(
                    inline.get(ino), targets.get(ino), attributes.getOrDefault(ino, Map.of()),
                    extents.getOrDefault(ino, List.of())));
        }
        return found;
    }

    private static byte[] target(View view, long link) throws IOException {
        var content = view.content(Keys.target(link));
        if (content == null) {
            throw MetaDamagedException.of(Keys.target(link), "is missing: the link has no target", null);
        }
        return View.bytes(content);
    }

    private static Map<Long, byte[]> values(View view, Map<Long, NodeRow> nodes, Storage storage) throws IOException {
        var keys = nodes.entrySet().stream().filter(node -> node.getValue().storage() == storage)
                .map(node -> Keys.inline(node.getKey())).toList();
        var found = new HashMap<Long, byte[]>();
        view.tx.getAll(keys).forEach((key, row) -> found.put(Keys.number(key, 0), View.bytes(View.content(row))));
        return found;
    }

    /** The rows of this kind of these inodes, at least the first {@code each} of every one. */
    private static List<Entry> below(View view, char kind, Collection<Long> ascending, int each) throws IOException {
        var found = new ArrayList<Entry>();
        var left = new ArrayDeque<>(ascending);
        while (!left.isEmpty()) {
            var from = Keys.rows(kind, left.getFirst());
            var page = view.tx.scan(from, Keys.rows(kind, left.getLast()).afterPrefix(), PAGE);
            int before = found.size();
            var wanted = new HashSet<>(left);
            for (var row : page) {
                if (wanted.contains(Keys.number(row.key(), 0))) {
                    found.add(row);
                }
            }
            if (page.size() < PAGE) {
                return found;
            }
            // The last inode may have more rows than were read: it is read again, by itself.
            long last = Keys.number(page.getLast().key(), 0);
            found.removeIf(row -> Keys.number(row.key(), 0) == last);
            while (!left.isEmpty() && left.getFirst() < last) {
                left.removeFirst();
            }
            boolean few = found.size() - before < PAGE / 4;
            if (!left.isEmpty() && left.getFirst() == last) {
                found.addAll(some(view, kind, left.removeFirst(), each));
            }
            while (few && !left.isEmpty()) {
                found.addAll(some(view, kind, left.removeFirst(), each));
            }
        }
        return found;
    }

    private static List<Entry> some(View view, char kind, long ino, int limit) throws IOException {
        var prefix = Keys.rows(kind, ino);
        return view.tx.scan(prefix, prefix.afterPrefix(), limit);
    }
}

package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaKey;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fs.FileKind;
import volsh.fs.Move;

/**
 * Small files and the blocks they are in, for those who store several of them together. Bytes, sizes and times of files
 * never change here; the rules for moves are those of {@link Move}.
 */
public final class SmallFiles {
    /** How many files one read looks at, and how many moves one transaction makes: each touches about ten keys. */
    public static final int FILES_MAX = 50;

    /** A file with more extents is not small. */
    private static final int EXTENTS_MAX = 16;

    private final Changes changes;

    public SmallFiles(Changes changes) {
        this.changes = changes;
    }

    /**
     * A small file that has blocks.
     *
     * @param kept whether a snapshot, or history without an end, keeps its extents as they are
     */
    public record Small(long ino, long size, List<Extent> extents, boolean kept) {
        /** Its bytes in blocks. */
        public long bytes() {
            return extents.stream().mapToLong(Extent::length).sum();
        }
    }

    /**
     * A block and how many extents name it.
     *
     * @param found whether the block can be found by its content, and so may get more
     */
    public record Use(BlockRow block, long extents, boolean found) {}

    /** Files, in the order asked for, and their blocks. */
    public record Found(List<Small> files, Map<Long, Use> blocks) {}

    /** Those of these inodes that are named regular files of at most {@code sizeMax} bytes and in blocks. */
    public Found look(List<Long> inos, long sizeMax) throws IOException {
        return changes.look(view -> {
            view.tx.expect(inos.stream().map(Keys::node).toList());
            var retained = Retained.parse(view.tx.get(Keys.RETAINED));
            var files = new ArrayList<Small>();
            for (long ino : inos) {
                var node = view.findNode(ino);
                if (node != null && isSmall(node, sizeMax)) {
                    var extents = view.extents(ino, 0, Long.MAX_VALUE, EXTENTS_MAX + 1);
                    if (!extents.isEmpty() && extents.size() <= EXTENTS_MAX) {
                        files.add(new Small(ino, node.size(), extents, isKept(view, retained, ino, extents)));
                    }
                }
            }
            return new Found(files, blocks(view, files));
        });
    }

    private static boolean isSmall(NodeRow node, long sizeMax) {
        return node.kind() == FileKind.REGULAR && node.links() > 0 && node.storage() == NodeRow.Storage.EXTENTS
                && node.size() <= sizeMax;
    }

    /** A window that ends does not count: what it keeps is given back some day. */
    private static boolean isKept(View view, Retained retained, long ino, List<Extent> extents) throws IOException {
        if (retained.window() >= 0 && retained.pins().length == 0) {
            return false;
        }
        for (var extent : extents) {
            if (isKept(view, retained, Keys.extent(ino, extent.end()))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isKept(View view, Retained retained, MetaKey key) throws IOException {
        var lasting = retained.window() < 0 ? retained : retained.withWindow(0);
        byte[] row = view.tx.get(key);
        return row != null && lasting.needs(ByteBuffer.wrap(row).getLong(), Long.MAX_VALUE);
    }

    private static Map<Long, Use> blocks(View view, List<Small> files) throws IOException {
        var ids = files.stream().flatMap(file -> file.extents().stream()).map(Extent::block).distinct().toList();
        var keys = new ArrayList<MetaKey>();
        for (long id : ids) {
            keys.addAll(List.of(Keys.block(id), Keys.uses(id), Keys.digestOf(id)));
        }
        view.tx.expect(keys);
        var blocks = new HashMap<Long, Use>();
        for (long id : ids) {
            blocks.put(id, new Use(view.block(id), count(view.tx.get(Keys.uses(id))),
                    view.tx.get(Keys.digestOf(id)) != null));
        }
        return blocks;
    }

    private static long count(byte @Nullable [] row) {
        return row == null ? 1 : ByteBuffer.wrap(row).getLong();
    }

    /** The directories of those of these files that exist, and how many of the files each has. */
    public Map<Long, Integer> directories(List<Long> inos) throws IOException {
        var counts = new LinkedHashMap<Long, Integer>();
        for (int from = 0; from < inos.size(); from += FILES_MAX) {
            var some = inos.subList(from, Math.min(from + FILES_MAX, inos.size()));
            changes.look(view -> view.tx.getAll(some.stream().map(Keys::node).toList())).forEach((key, row) -> {
                var node = NodeRow.parse(View.content(row));
                if (node.links() > 0 && !node.isDirectory()) {
                    counts.merge(node.parent(), 1, Integer::sum);
                }
            });
        }
        return counts;
    }

    /** Moves of one file, in file order. */
    public record FileMoves(long ino, List<Move> moves) {}

    /**
     * Puts a stored block under bytes of several files, in one transaction: applies those moves that still apply. At
     * most {@link #FILES_MAX} moves. Returns the new attributes of the files that changed.
     *
     * @param fresh whether no row names the block yet; if not, nothing applies once it has died
     */
    public Map<Long, Attributes> move(BlockRow block, boolean fresh, List<FileMoves> files) throws IOException {
        var moves = new HashMap<Long, List<Move>>();
        files.forEach(file -> moves.put(file.ino(), file.moves()));
        return store(block, fresh, files.stream().map(FileMoves::ino).toList(), (edit, node, ino, rows) ->
                rows.move(Objects.requireNonNull(moves.get(ino))));
    }

    /**
     * A small file whose bytes are in the metadata.
     *
     * @param version the version of the file that has these bytes
     */
    public record Inline(long ino, long version, byte[] bytes) {}

    /**
     * Those of these inodes that are named regular files with more than {@code above} bytes in the metadata, and at
     * most {@code sizeMax}; unless {@code kept}, without those whose bytes a snapshot would keep there.
     */
    public List<Inline> inline(List<Long> inos, int above, long sizeMax, boolean kept) throws IOException {
        return changes.look(view -> {
            view.tx.expect(inos.stream().map(Keys::node).toList());
            var retained = Retained.parse(view.tx.get(Keys.RETAINED));
            var files = new ArrayList<Inline>();
            for (long ino : inos) {
                var node = view.findNode(ino);
                if (node != null && node.kind() == FileKind.REGULAR && node.links() > 0
                        && node.storage() == NodeRow.Storage.INLINE && node.size() > above && node.size() <= sizeMax) {
                    byte[] bytes = view.inline(ino);
                    if (bytes.length > above && (kept || !isKept(view, retained, Keys.inline(ino)))) {
                        files.add(new Inline(ino, node.version(), bytes));
                    }
                }
            }
            return files;
        });
    }

    /** Whether bytes of files that are no longer current stay in the metadata for a while. */
    public boolean keepsHistory() throws IOException {
        return changes.look(view -> Retained.parse(view.tx.get(Keys.RETAINED)).window() != 0);
    }

    /**
     * Puts parts of a stored block in the place of the inline bytes of several files, in one transaction, as far as
     * these are still as they were; otherwise like {@link #move}.
     */
    public Map<Long, Attributes> moveInline(BlockRow block, boolean fresh, Map<Inline, Extent> files)
            throws IOException {
        var there = new HashMap<Long, Map.Entry<Inline, Extent>>();
        files.entrySet().forEach(file -> there.put(file.getKey().ino(), file));
        return store(block, fresh, List.copyOf(there.keySet()), (edit, node, ino, rows) -> {
            var file = Objects.requireNonNull(there.get(ino));
            if (node.storage() != NodeRow.Storage.INLINE || node.version() != file.getKey().version()
                    || rows.isFull()) {
                return false;
            }
            edit.remove(Keys.inline(ino));
            if (rows.lay(file.getValue()) < file.getValue().end()) {
                throw new IllegalStateException("no room in the transaction for the bytes of inode %d".formatted(ino));
            }
            return true;
        });
    }

    /** Changes the rows of a file; false if there is nothing to change. */
    private interface Restoring {
        boolean run(Edit edit, NodeRow node, long ino, FileRows rows) throws IOException;
    }

    private Map<Long, Attributes> store(BlockRow block, boolean fresh, List<Long> inos, Restoring restoring)
            throws IOException {
        return changes.restore(edit -> {
            edit.expectChange(inos.stream().map(Keys::node).toArray(MetaKey[]::new));
            var moved = new HashMap<Long, Attributes>();
            if (fresh) {
                edit.uses().introduce(block);
            } else if (edit.tx.get(Keys.block(block.id())) == null || count(edit.tx.get(Keys.uses(block.id()))) == 0) {
                return moved;
            }
            for (long ino : inos) {
                var node = edit.findNode(ino);
                if (node != null && node.kind() == FileKind.REGULAR && node.links() > 0) {
                    var rows = new FileRows(edit, ino);
                    if (restoring.run(edit, node, ino, rows)) {
                        long before = node.storage() == NodeRow.Storage.INLINE ? 0 : node.allocated();
                        moved.put(ino, Files.write(edit, ino, node, NodeRow.Storage.EXTENTS, node.size(),
                                before + rows.allocatedChange(), OptionalLong.empty()));
                    }
                }
            }
            return moved;
        });
    }
}

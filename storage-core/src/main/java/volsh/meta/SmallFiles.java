package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        var lasting = retained.window() < 0 ? retained : retained.withWindow(0);
        for (var extent : extents) {
            byte[] row = view.tx.get(Keys.extent(ino, extent.end()));
            if (row != null && lasting.needs(ByteBuffer.wrap(row).getLong(), Long.MAX_VALUE)) {
                return true;
            }
        }
        return false;
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
        return changes.change(edit -> {
            edit.expectChange(files.stream().map(file -> Keys.node(file.ino())).toArray(MetaKey[]::new));
            var moved = new HashMap<Long, Attributes>();
            if (fresh) {
                edit.uses().introduce(block);
            } else if (edit.tx.get(Keys.block(block.id())) == null || count(edit.tx.get(Keys.uses(block.id()))) == 0) {
                return moved;
            }
            for (var file : files) {
                var node = edit.findNode(file.ino());
                if (node != null && node.kind() == FileKind.REGULAR && node.links() > 0) {
                    var rows = new FileRows(edit, file.ino());
                    if (rows.move(file.moves())) {
                        moved.put(file.ino(), Files.write(edit, file.ino(), node, node.storage(), node.size(),
                                node.allocated() + rows.allocatedChange(), OptionalLong.empty()));
                    }
                }
            }
            return moved;
        });
    }
}

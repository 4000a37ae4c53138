package volsh.meta;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import volsh.engine.Keys;
import volsh.fs.Extent;
import volsh.fs.Move;

/** The extent rows of one file within one change: clears ranges and lays new extents over old ones. */
final class FileRows {
    /** Rows one transaction may clear or lay, each of which touches {@link #KEYS_EACH} keys at most. */
    static final int ROWS_MAX = 100;
    private static final int KEYS_EACH = 8;

    private final Edit edit;
    private final long ino;
    private int cleared;
    private long allocated;

    FileRows(Edit edit, long ino) {
        this.edit = edit;
        this.ino = ino;
    }

    /** By how much the allocated bytes of the file changed so far. */
    long allocatedChange() {
        return allocated;
    }

    boolean isFull() {
        return budget() <= 0;
    }

    /** How many more rows fit, in case other files of the same change left less room than usual. */
    private int budget() {
        return Math.min(ROWS_MAX - cleared, edit.room() / KEYS_EACH);
    }

    /**
     * Frees {@code [from, to)} in order; returns how far it came, which is {@code to} unless the transaction is full.
     */
    long clear(long from, long to) throws IOException {
        int budget = budget();
        if (budget <= 0) {
            return from;
        }
        var extents = edit.extents(ino, from, to, budget + 1);
        boolean more = extents.size() > budget;
        long reached = more ? extents.get(budget).start() : to;
        for (var extent : more ? extents.subList(0, budget) : extents) {
            cut(extent, from, Math.min(to, reached));
        }
        return reached;
    }

    private void cut(Extent extent, long from, long to) throws IOException {
        cleared++;
        allocated -= Math.min(extent.end(), to) - Math.max(extent.start(), from);
        if (extent.start() < from) {
            write(extent.clip(extent.start(), from));
        }
        if (extent.end() > to) {
            write(extent.clip(to, extent.end()));
        } else {
            release(extent.block(), edit.remove(Keys.extent(ino, extent.end())));
        }
    }

    /** Lays the extent over existing ones and returns how far it came. Merges it with a contiguous one before it. */
    long lay(Extent extent) throws IOException {
        long reached = clear(extent.start(), extent.end());
        if (reached <= extent.start()) {
            return extent.start();
        }
        var piece = extent.clip(extent.start(), reached);
        allocated += piece.length();
        cleared++;
        var before = edit.content(Keys.extent(ino, piece.start()));
        if (before != null) {
            long length = before.getLong();
            long block = before.getLong();
            long offset = before.getLong();
            if (block == piece.block() && offset + length == piece.offset()) {
                release(block, edit.remove(Keys.extent(ino, piece.start())));
                piece = new Extent(piece.start() - length, length + piece.length(), block, offset);
            }
        }
        write(piece);
        return reached;
    }

    /** Applies those moves, given in file order, that still apply; false if none does. */
    boolean move(List<Move> moves) throws IOException {
        if (moves.isEmpty()) {
            return false;
        }
        var there = new HashSet<>(edit.extents(ino, moves.getFirst().from().start(), moves.getLast().from().end(),
                ROWS_MAX));
        boolean any = false;
        for (var run : runs(moves.stream().filter(move -> there.contains(move.from())).map(Move::to).toList())) {
            any |= lay(run) > run.start();
        }
        return any;
    }

    /** Joins extents that are neighbours in both file and block. */
    private static List<Extent> runs(List<Extent> extents) {
        var runs = new ArrayList<Extent>();
        for (var extent : extents) {
            boolean continues = !runs.isEmpty() && runs.getLast().isContinuedBy(extent);
            runs.add(continues ? runs.removeLast().and(extent) : extent);
        }
        return runs;
    }

    private void write(Extent extent) throws IOException {
        var key = Keys.extent(ino, extent.end());
        var old = edit.content(key);
        boolean kept = edit.put(key, View.extentRow(extent));
        edit.uses().add(extent.block());
        if (old != null) {
            old.getLong();
            release(old.getLong(), kept);
        }
    }

    private void release(long block, boolean kept) {
        if (!kept) {
            edit.uses().release(block);
        }
    }
}

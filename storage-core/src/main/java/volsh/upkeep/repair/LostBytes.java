package volsh.upkeep.repair;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import volsh.codec.FrameIndex;
import volsh.engine.Keys;
import volsh.engine.MetaKey;
import volsh.fs.BlockRow;
import volsh.fs.ImportedBlock;
import volsh.inventory.Row;
import volsh.meta.NodeRow;
import volsh.meta.NodeRow.Storage;

/**
 * Marks bytes of files that are lost with the row that held or located them. They must not become zeros: an extent of a
 * block that is in no store takes their place. Reading it is an error, a check names the file, and the file can be
 * removed or overwritten like any other.
 */
final class LostBytes {
    /** The largest possible block. */
    private static final long BLOCK_BYTES = 64L << 20;
    /** More gaps than these are holes of a sparse file. */
    private static final int GAPS_MAX = 64;

    private final RepairDraft draft;
    private final LostAndFound numbers;

    LostBytes(RepairDraft draft, LostAndFound numbers) {
        this.draft = draft;
        this.numbers = numbers;
    }

    /** A range of a file without an extent. */
    private record Gap(long from, long to) {}

    /** Removes the row. Without its inline bytes or its target an inode is unreadable anyway. */
    void unreadable(MetaKey key) throws IOException {
        draft.remove(key);
        if (key.bytes()[0] != 'X' || key.bytes().length != 1 + 2 * Long.BYTES) {
            return;
        }
        long ino = ByteBuffer.wrap(key.bytes()).getLong(1);
        long end = ByteBuffer.wrap(key.bytes()).getLong(1 + Long.BYTES);
        if (!(draft.row(Row.from('N', ino)) instanceof Row.Node node)) {
            return;   // the key is wrong, or only other extents are left of the file
        }
        long start = 0;
        long held = 0;
        boolean overlaps = false;
        var runs = draft.all(Row.from('X', ino));
        while (runs.peek() != null) {
            if (Row.of(runs.next()) instanceof Row.Run run && run.isPossible()) {
                held += run.length();
                start = run.end() < end ? run.end() : start;
                overlaps |= run.end() > end && run.start() < end;
            }
        }
        long length = Math.min(end - start, node.row().allocated() - held);
        boolean isRead = node.row().links() > 0;
        if (isRead && !overlaps && end <= node.row().size() && length > 0) {   // otherwise the key is wrong
            mark(ino, end - length, end);
        }
    }

    /** Marks the ranges of lost rows that this file still counts, if it is clear where they were; true if it did. */
    boolean areMarked(long ino) throws IOException {
        boolean isDense = draft.row(Row.from('N', ino)) instanceof Row.Node(_, _, NodeRow row) && row.links() > 0
                && row.storage() == Storage.EXTENTS && row.allocated() == row.size();
        var gaps = isDense ? gaps(ino) : List.<Gap>of();
        if (gaps.isEmpty() || gaps.size() > GAPS_MAX) {
            return false;
        }
        for (var gap : gaps) {
            mark(ino, gap.from(), gap.to());
        }
        return true;
    }

    private List<Gap> gaps(long ino) throws IOException {
        long size = draft.row(Row.from('N', ino)) instanceof Row.Node node ? node.row().size() : 0;
        var gaps = new ArrayList<Gap>();
        long at = 0;
        var runs = draft.all(Row.from('X', ino));
        while (runs.peek() != null && gaps.size() <= GAPS_MAX) {
            if (Row.of(runs.next()) instanceof Row.Run run && run.isPossible()) {
                if (run.start() > at) {
                    gaps.add(new Gap(at, run.start()));
                }
                at = Math.max(at, run.end());
            }
        }
        if (at < size) {
            gaps.add(new Gap(at, size));
        }
        return gaps;
    }

    private void mark(long ino, long from, long to) throws IOException {
        for (long at = from; at < to; at += BLOCK_BYTES) {
            long end = Math.min(to, at + BLOCK_BYTES);
            long block = numbers.newBlock();
            draft.put(new Row.Run(ino, end, numbers.tick(), end - at, block, 0));
            put(block, (int) (end - at), ino);
        }
    }

    /** Replaces the unreadable row of a block whose object is missing. */
    void block(long id) throws IOException {
        long reach = 0;
        long owner = 0;
        var runs = draft.all(Row.kind('X'));
        while (runs.peek() != null) {
            if (Row.of(runs.next()) instanceof Row.Run run && run.isPossible() && run.block() == id) {
                reach = Math.max(reach, run.offset() + run.length());
                owner = run.ino();
            }
        }
        if (ImportedBlock.is(id) && reach > 0) {
            var lost = new ImportedBlock(Integer.MAX_VALUE, 0, reach, "lost", "lost");
            draft.put(new Row.Block(lost.row(id, reach, owner)));
        } else if (reach > 0 && reach <= BLOCK_BYTES) {
            put(id, (int) reach, owner);
        } else {
            draft.remove(Keys.block(id));
        }
    }

    private void put(long block, int length, long owner) throws IOException {
        var index = FrameIndex.ofLost(length);
        draft.put(new Row.Block(new BlockRow(block, index.rawSize(), index.storedSize(), 0, owner, index.toBytes())));
    }
}

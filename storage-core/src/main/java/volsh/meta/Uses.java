package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.engine.Keys;
import volsh.fs.BlockRow;
import volsh.fs.FsException;

/**
 * Reference counts over rows: every extent row, current or historical, counts one for its block. The count is stored
 * only when it is not 1. At zero the block is dead: it moves to the dead list and never returns.
 */
public final class Uses {
    private static final long DEAD = 0;
    /** Keys per block: its row, its count, its place in the dead list. */
    private static final int KEYS_EACH = 3;

    private final Edit edit;
    private final Map<Long, Integer> changes = new HashMap<>();
    private final Map<Long, BlockRow> fresh = new HashMap<>();
    private final List<BlockRow> died = new ArrayList<>();

    Uses(Edit edit) {
        this.edit = edit;
    }

    /**
     * Introduces a block that no row names yet; it is written if a row comes to name it.
     * @throws FsException STALE if it belongs to another session
     */
    void introduce(BlockRow block) throws FsException {
        edit.newBlocks().require(block);
        fresh.put(block.id(), block);
    }

    /** Whether this change has written or removed a row that names the block. */
    boolean isNamed(long block) {
        return changes.containsKey(block);
    }

    public void add(long block) {
        changes.merge(block, 1, Integer::sum);
    }

    public void release(long block) {
        changes.merge(block, -1, Integer::sum);
    }

    /** The most keys that {@link #settle} will touch. */
    int keysToSettle() {
        return KEYS_EACH * changes.size();
    }

    /** Writes the counts after all rows of the change are written. Returns the blocks that died. */
    public List<BlockRow> settle() throws IOException {
        for (var change : changes.entrySet()) {
            settle(change.getKey(), change.getValue());
        }
        changes.clear();
        fresh.clear();
        return List.copyOf(died);
    }

    private void settle(long id, int change) throws IOException {
        var block = fresh.get(id);
        if (block != null) {
            edit.tx.put(Keys.block(id), View.blockRow(block));
            edit.useBlock(block, 1);
        } else if (change == 0) {
            return;
        }
        long before = block != null ? 0 : count(id);
        write(id, before, before + change);
    }

    private long count(long id) throws IOException {
        byte[] row = edit.tx.get(Keys.uses(id));
        long count = row == null ? 1 : ByteBuffer.wrap(row).getLong();
        if (count == DEAD) {
            throw new IOException("metadata corrupt: block %016x is already deleted and cannot be referenced again"
                    .formatted(id));
        }
        return count;
    }

    private void write(long id, long before, long after) throws IOException {
        if (after < 0) {
            throw new IOException("metadata corrupt: block %016x would have %d references".formatted(id, after));
        }
        if (after == 1) {
            if (before > 1) {
                edit.tx.delete(Keys.uses(id));
            }
            return;
        }
        edit.tx.put(Keys.uses(id), ByteBuffer.allocate(8).putLong(after).array());
        if (after == DEAD) {
            died.add(edit.block(id));
            edit.useBlock(died.getLast(), -1);
            edit.tx.put(Keys.dead(edit.tick(), id), new byte[0]);
        }
    }
}

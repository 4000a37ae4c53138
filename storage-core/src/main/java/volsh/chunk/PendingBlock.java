package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import volsh.chunk.BlockWriter.BlockOwner;
import volsh.fs.BlockRow;
import volsh.fs.FileTable;

/** A block that is assembled in memory and stored only if it is needed. Close it: others wait for its memory. */
public final class PendingBlock implements AutoCloseable {
    private static final int[] NO_STARTS = {};

    private final FileTable table;
    private final BlockWriter blocks;
    private final int size;
    private final Slab slab;

    PendingBlock(FileTable table, BlockWriter blocks, int size) throws IOException {
        this.table = table;
        this.blocks = blocks;
        this.size = size;
        this.slab = blocks.room(size);
    }

    /** All of its bytes, to be filled or read from the start. */
    public ByteBuffer bytes() {
        return slab.view(size);
    }

    /** Stores it as a new block for this offset of this inode: in the store itself, never in a journal. */
    public BlockRow store(long owner, long offset) throws IOException {
        return blocks.writeLasting(table.newBlock(), BlockOwner.file(owner, offset), bytes(), NO_STARTS);
    }

    @Override
    public void close() {
        slab.close();
    }
}

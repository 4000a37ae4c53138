package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import volsh.chunk.BlockWriter.BlockOwner;
import volsh.codec.BlockCodec;
import volsh.fs.BlockRow;
import volsh.fs.FileTable;

/**
 * A block that is assembled in memory and stored only if it is needed. Where the volume does not compress, its bytes
 * are in their places between the headers of frames, and stored from there. Close it: others wait for its memory.
 */
public final class PendingBlock implements AutoCloseable {
    private static final int[] NO_STARTS = {};

    private final FileTable table;
    private final BlockWriter blocks;
    private final int size;
    private final boolean inPlace;
    private final int room;
    private final Slab slab;
    private final List<ByteBuffer> places;

    PendingBlock(FileTable table, BlockWriter blocks, int size) throws IOException {
        this.table = table;
        this.blocks = blocks;
        this.size = size;
        this.inPlace = blocks.isUncompressed();
        this.room = inPlace ? BlockCodec.maxStoredSize(size) : size;
        this.slab = blocks.room(room);
        this.places = inPlace ? blocks.places(size, slab.view(room)) : List.of(slab.view(size));
    }

    /** Its bytes {@code [from, to)}, in order, in parts of at most {@link BlockCodec#FRAME_LENGTH}. */
    public List<ByteBuffer> bytes(int from, int to) {
        var parts = new ArrayList<ByteBuffer>();
        int most = BlockCodec.FRAME_LENGTH;
        for (int at = from; at < to; ) {
            int end = Math.min(to, at - at % most + most);
            var place = places.get(inPlace ? at / most : 0);
            parts.add(place.slice(inPlace ? at % most : at, end - at));
            at = end;
        }
        return parts;
    }

    /** All of its bytes. */
    public List<ByteBuffer> bytes() {
        return bytes(0, size);
    }

    /** Stores it as a new block for this offset of this inode: in the store itself, never in a journal. */
    public BlockRow store(long ino, long offset) throws IOException {
        long id = table.newBlock();
        var owner = BlockOwner.file(ino, offset);
        return inPlace ? blocks.sealLasting(id, owner, size, slab.view(room))
                : blocks.writeLasting(id, owner, slab.view(size), NO_STARTS);
    }

    @Override
    public void close() {
        slab.close();
    }
}

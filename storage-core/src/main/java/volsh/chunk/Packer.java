package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import volsh.chunk.BlockWriter.BlockOwner;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fs.FileTable;

/**
 * Stores many small files as one block. A file that is large enough starts a frame, so that it can be read without its
 * neighbours.
 */
public final class Packer {
    private static final int FRAME_MIN = 16 << 10;

    private final FileTable table;
    private final BlockWriter blocks;

    Packer(FileTable table, BlockWriter blocks) {
        this.table = table;
        this.blocks = blocks;
    }

    /** A stored block and the extent of each piece. */
    public record Pack(BlockRow block, List<Extent> extents) {}

    /** Stores the pieces, none of them empty, as one block, with the layout of this directory. */
    public Pack pack(List<ByteBuffer> pieces, long directory) throws IOException {
        long id = table.newBlock();
        int total = pieces.stream().mapToInt(ByteBuffer::remaining).sum();
        var extents = new ArrayList<Extent>(pieces.size());
        var starts = new ArrayList<Integer>();
        try (var slab = blocks.room(total)) {
            var raw = slab.view(total);
            for (var piece : pieces) {
                int length = piece.remaining();
                if (length >= FRAME_MIN && raw.position() > 0) {
                    starts.add(raw.position());
                }
                extents.add(new Extent(0, length, id, raw.position()));
                raw.put(piece.duplicate());
            }
            int[] frames = starts.stream().mapToInt(Integer::intValue).toArray();
            return new Pack(blocks.write(id, new BlockOwner(0, directory, 0), raw.flip(), frames), extents);
        }
    }

    /** Deletes a pack that no file uses. */
    public void discard(Pack pack) throws IOException {
        blocks.delete(pack.block());
    }
}

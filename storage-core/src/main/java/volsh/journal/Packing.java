package volsh.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/** Stores many small blocks with one request. */
public interface Packing {
    /** At most so many blocks go together. */
    int BLOCKS_MAX = 200;

    /** A block, as it is stored, in a buffer of many. */
    record Item(long block, int offset, int length) {}

    /**
     * Returns when all of these blocks are in the store, and that they are found there survives power loss. May be called again with
     * the same blocks. {@code journal} is where they have waited.
     */
    void put(UUID journal, List<Item> items, ByteBuffer together) throws IOException;
}

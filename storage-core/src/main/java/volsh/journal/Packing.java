package volsh.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/** Stores many small blocks with one request. */
public interface Packing {
    /** The most blocks stored together. */
    int BLOCKS_MAX = 200;

    /** A block, as stored, within a buffer of many. */
    record Item(long block, int offset, int length) {}

    /**
     * Returns when all of these blocks are in the store, and their places are durable. May be called again with the
     * same blocks. {@code journal} is where they were staged.
     */
    void put(UUID journal, List<Item> items, ByteBuffer together) throws IOException;
}

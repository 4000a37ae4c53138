package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A store whose gets can be ended by another thread when their result is no longer needed. */
public interface AbortableGets extends BlockStore {
    /**
     * Like {@link #get(BlockKey, long, ByteBuffer)}. Once aborted it throws soon, whatever it waits for, unless it has
     * all the bytes; it never returns fewer than requested because of that.
     */
    int get(BlockKey key, long offset, ByteBuffer target, Abort abort) throws IOException;
}

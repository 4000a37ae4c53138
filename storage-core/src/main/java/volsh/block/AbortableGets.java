package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A store whose gets can be ended by another thread, when their answer is no longer wanted. */
public interface AbortableGets extends BlockStore {
    /**
     * As {@link #get(BlockKey, long, ByteBuffer)}. Once it was aborted it throws soon, whatever it waits for, unless it has all the
     * bytes; it never returns less than was asked for because of that.
     */
    int get(BlockKey key, long offset, ByteBuffer target, Abort abort) throws IOException;
}

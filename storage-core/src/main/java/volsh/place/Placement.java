package volsh.place;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Decides where new blocks go. Thread-safe. */
public interface Placement {
    /** One store: nothing to decide. */
    Placement SINGLE = new Placement() {};

    /** Whether there is only one store, so that there is nothing to decide. */
    default boolean isSingle() {
        return true;
    }

    /** The largest block size for this file, or files in this directory; {@code volumes} is the volume's. */
    default int blockSize(long ino, int volumes) throws IOException {
        return volumes;
    }

    /** The number of the policy of this file or directory. */
    default int policy(long ino) throws IOException {
        return 0;
    }

    /**
     * Chooses where a new block of {@code stored} bytes goes, at this offset of this file (or of a file in this
     * directory). Returns the number of its arrangement, for the {@link volsh.block.BlockKey key} by which it is put,
     * and for its row.
     */
    default int choose(long ino, long offset, int stored) throws IOException {
        return 0;
    }

    /**
     * Repairs a block whose bytes were found damaged, all parts of it, from its redundancy. Returns false, with nothing
     * changed, if that is impossible.
     */
    default boolean mend(long block, Check check) throws IOException {
        return false;
    }

    /** Verifies whether these bytes, in direct memory, are a block as it was stored. */
    interface Check {
        boolean isRight(ByteBuffer stored);
    }
}

package volsh.place;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Decides where new blocks go, for those who cut files into blocks. Thread-safe. */
public interface Placement {
    /** One store, nothing to decide. */
    Placement SINGLE = new Placement() {};

    /** Whether there is nothing to decide: then nobody need be asked. */
    default boolean isSingle() {
        return true;
    }

    /** How long the blocks of this file, or of files in this directory, are at most; {@code volumes} is what the volume says. */
    default int blockSize(long ino, int volumes) throws IOException {
        return volumes;
    }

    /** The number of the policy of this file or directory. */
    default int policy(long ino) throws IOException {
        return 0;
    }

    /**
     * Decides where a new block of {@code stored} bytes goes, at this offset of this file (or of a file in this
     * directory). Returns the number of its arrangement, for the {@link volsh.block.BlockKey key} by which it is put,
     * and for its row.
     */
    default int choose(long ino, long offset, int stored) throws IOException {
        return 0;
    }

    /**
     * Somebody found the bytes of this block damaged: puts it right from what redundancy there is, all parts of it. False if it cannot
     * be, and then nothing has changed.
     */
    default boolean mend(long block, Check check) throws IOException {
        return false;
    }

    /** Tells whether these, in direct memory, are the bytes of a block as they were stored. */
    interface Check {
        boolean isRight(ByteBuffer stored);
    }
}

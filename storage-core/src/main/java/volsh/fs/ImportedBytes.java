package volsh.fs;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads objects that files were imported from. Thread-safe. */
public interface ImportedBytes {
    /** Knows no buckets. */
    ImportedBytes NONE = (block, _, _) -> {
        throw new IOException("cannot read %s: the bucket of import %d is not known here"
                .formatted(block.key(), block.source()));
    };

    /**
     * Fills the target with bytes of the block from {@code offset} of the block on, if the object is still in the state
     * that was imported.
     *
     * @throws ImportChangedException if it is not
     */
    void read(ImportedBlock block, long offset, ByteBuffer target) throws IOException;
}

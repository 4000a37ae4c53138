package volsh.tree;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A new file, which appears when it is complete: under a temporary name that is renamed, without a name in a volume, as
 * an upload in a bucket. Closing one that is not committed leaves nothing behind. Used by several threads.
 */
public interface TreeWriter extends AutoCloseable {
    /** 0: takes pieces of any length; else every write is a part of exactly this length, but for the last one. */
    int part();

    /** Writes all remaining bytes at this offset. */
    void write(long offset, ByteBuffer bytes) throws IOException;

    /** All bytes are written: gives the file its name, replacing any other file of it, its mode and its times. */
    void commit() throws IOException;

    @Override
    void close() throws IOException;
}

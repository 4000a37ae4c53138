package volsh.tree;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A new file, which appears when it is complete: under a temporary name that is renamed, without a name in a volume, as
 * an upload in a bucket. Closing one that is not committed leaves nothing behind. Used by several threads.
 */
public interface TreeWriter extends AutoCloseable {
    /** 0: takes pieces of any length; else every write is a part of exactly this length, but for the last one. */
    int part();

    /** Writes all remaining bytes at this offset. */
    void write(long offset, ByteBuffer bytes) throws IOException;

    /** The bytes of a file; several threads ask for them. */
    interface Bytes {
        /** Fills the target. */
        void read(long offset, ByteBuffer target) throws IOException;
    }

    /**
     * Takes all bytes of a file, in ranges of its choice, and stores only those that it does not have already, under
     * whatever name; false, with nothing done, if it cannot.
     */
    default boolean take(Bytes bytes) throws IOException {
        return false;
    }

    /** Whether an interrupted copy of the same state has written these bytes: compares them with their checksum. */
    default boolean isWritten(long offset, long length) throws IOException {
        return false;
    }

    /** These bytes are written, and need not be written again if the copy is interrupted. */
    default void written(long offset, long length, long crc32c) throws IOException {}

    /** What was written is of no use for another attempt: closing this leaves nothing of it. */
    default void discard() {}

    /** Reads what was written, before it is committed; empty where that is not possible. */
    default Optional<TreeReader> reread() throws IOException {
        return Optional.empty();
    }

    /** All bytes are written: gives the file its name, replacing any other file of it, its mode and its times. */
    void commit() throws IOException;

    @Override
    void close() throws IOException;
}

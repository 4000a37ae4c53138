package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Keeps immutable blocks of bytes under flat keys.
 *
 * <p>A block is put once, whole, and never changes: a second put of the same key carries the same bytes. Every call is
 * therefore safe to repeat, and a reader sees the whole block or none of it.
 *
 * <p>Thread-safe. Calls block; callers bring their own threads.
 */
// Think twice before adding a method: every backend and every decorator pays for it.
public interface BlockStore extends AutoCloseable {
    /**
     * Fills {@code target} from {@code offset} of the block; returns the bytes read, fewer than remained in the target
     * only where the block ends (0 at or beyond the end). The caller owns the memory.
     *
     * @throws NoSuchBlockException if there is no such block
     */
    int get(BlockKey key, long offset, ByteBuffer target) throws IOException;

    /**
     * Stores the remaining bytes of {@code data}, whose position is left as it was. Once this returns, the block
     * survives power loss.
     */
    void put(BlockKey key, ByteBuffer data) throws IOException;

    /** Removes the block. Removing an absent block succeeds. */
    void delete(BlockKey key) throws IOException;

    /** Removes all of these blocks, in as few requests as the store can. If it throws, some of them are gone. */
    default void deleteAll(List<BlockKey> keys) throws IOException {
        for (BlockKey key : keys) {
            delete(key);
        }
    }

    /**
     * Lists the blocks whose key starts with {@code prefix}, in key order. Close the stream; a failure while reading it
     * is an {@link java.io.UncheckedIOException}.
     */
    Stream<Listed> list(String prefix) throws IOException;

    /** Unfinished puts, in progress or abandoned, of keys that start with {@code prefix}: for maintenance. */
    default List<UnfinishedPut> unfinished(String prefix) throws IOException {
        return List.of();
    }

    /** Removes an unfinished put; removing a missing one succeeds. A put in progress fails. */
    default void discard(UnfinishedPut left) throws IOException {
        throw new IllegalArgumentException("unknown unfinished put: " + left.name());
    }

    @Override
    void close() throws IOException;

    /** One line of a listing. */
    record Listed(BlockKey key, long size, Instant modified) {}
}

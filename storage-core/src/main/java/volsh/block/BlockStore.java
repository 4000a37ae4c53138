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
     * only where the block ends (0 at or behind the end). The caller owns the memory.
     *
     * @throws NoSuchBlockException if there is no such block
     */
    int get(BlockKey key, long offset, ByteBuffer target) throws IOException;

    /** Stores the remaining bytes of {@code data}, whose position is left as it was. Once this returns, the block survives power loss. */
    void put(BlockKey key, ByteBuffer data) throws IOException;

    /** Removes the block. Removing an absent block succeeds. */
    void delete(BlockKey key) throws IOException;

    /** Removes all of these blocks, in as few requests as the store can. If it throws, some of them are gone. */
    default void deleteAll(List<BlockKey> keys) throws IOException {
        for (BlockKey key : keys) {
            delete(key);
        }
    }

    /** Lists the blocks whose key starts with {@code prefix}, in key order. Close the stream; trouble while reading it is an {@link java.io.UncheckedIOException}. */
    Stream<Listed> list(String prefix) throws IOException;

    /** What puts have left, or are writing now, below keys that start with {@code prefix}: for those who look after the store. */
    default List<UnfinishedPut> unfinished(String prefix) throws IOException {
        return List.of();
    }

    /** Removes what a put has left; removing what is gone succeeds. A put that is under way fails. */
    default void discard(UnfinishedPut left) throws IOException {
        throw new IllegalArgumentException("not of this store: " + left.name());
    }

    @Override
    void close() throws IOException;

    /** One line of a listing. */
    record Listed(BlockKey key, long size, Instant modified) {}
}

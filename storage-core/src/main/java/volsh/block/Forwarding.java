package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;

/**
 * A decorator of a store: forwards every call. An implementation is a record over its delegate that overrides what it
 * changes. It decides races if its delegate can, and refuses to otherwise.
 */
public interface Forwarding extends BlockStore, PutsOnce {
    BlockStore delegate();

    @Override
    default boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        return PutsOnce.of(delegate()).putIfAbsent(key, data);
    }

    @Override
    default int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        return delegate().get(key, offset, target);
    }

    @Override
    default void put(BlockKey key, ByteBuffer data) throws IOException {
        delegate().put(key, data);
    }

    @Override
    default void delete(BlockKey key) throws IOException {
        delegate().delete(key);
    }

    @Override
    default void deleteAll(List<BlockKey> keys) throws IOException {
        delegate().deleteAll(keys);
    }

    @Override
    default Stream<Listed> list(String prefix) throws IOException {
        return delegate().list(prefix);
    }

    @Override
    default List<UnfinishedPut> unfinished(String prefix) throws IOException {
        return delegate().unfinished(prefix);
    }

    @Override
    default void discard(UnfinishedPut left) throws IOException {
        delegate().discard(left);
    }

    @Override
    default void close() throws IOException {
        delegate().close();
    }
}

package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;

/** A decorator with an action before every call, such as a delay or a failure. */
public interface Preceded extends Forwarding {
    /** @throws IOException if the call must not reach the store */
    void before() throws IOException;

    @Override
    default int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        before();
        return delegate().get(key, offset, target);
    }

    @Override
    default void put(BlockKey key, ByteBuffer data) throws IOException {
        before();
        delegate().put(key, data);
    }

    @Override
    default boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        before();
        return PutsOnce.of(delegate()).putIfAbsent(key, data);
    }

    @Override
    default void delete(BlockKey key) throws IOException {
        before();
        delegate().delete(key);
    }

    @Override
    default void deleteAll(List<BlockKey> keys) throws IOException {
        before();
        delegate().deleteAll(keys);
    }

    @Override
    default Stream<Listed> list(String prefix) throws IOException {
        before();
        return delegate().list(prefix);
    }
}

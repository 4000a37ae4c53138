package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Fails some calls, as networks do: before they reach the store, after they were carried out, or in the middle of a
 * read. A failed call throws; one that returns has done what it promises. For tests and drills.
 */
public record Faulty(BlockStore delegate, Faults faults) implements Forwarding {
    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        return switch (faults.next()) {
            case ANSWERED -> delegate.get(key, offset, target);
            case REFUSED -> throw failure("refused: get", key.text());
            case REPLY_LOST -> {
                delegate.get(key, offset, target.duplicate());
                throw failure("lost reply: get", key.text());
            }
            case CUT_SHORT -> {
                ByteBuffer part = target.duplicate().limit(target.position() + faults.cut(target.remaining()));
                delegate.get(key, offset, part);
                target.position(part.position());
                throw failure("truncated: get", key.text());
            }
        };
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        perform("put", key.text(), Call.of(() -> delegate.put(key, data)));
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        return perform("put", key.text(), () -> PutsOnce.of(delegate).putIfAbsent(key, data));
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        perform("delete", key.text(), Call.of(() -> delegate.delete(key)));
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        perform("delete", keys.size() + " blocks", Call.of(() -> delegate.deleteAll(keys)));
    }

    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        return perform("list", prefix, () -> delegate.list(prefix));
    }

    private <R extends @Nullable Object> R perform(String what, String key, Call<R> call) throws IOException {
        return switch (faults.next()) {
            case ANSWERED -> call.run();
            case REFUSED -> throw failure("refused: " + what, key);
            case CUT_SHORT -> throw failure("truncated: " + what, key);
            case REPLY_LOST -> {
                call.run();
                throw failure("lost reply: " + what, key);
            }
        };
    }

    private static IOException failure(String what, String key) {
        return new IOException("injected fault, %s %s".formatted(what, key));
    }
}

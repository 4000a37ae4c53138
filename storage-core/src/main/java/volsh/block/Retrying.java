package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Retries failed calls in a {@link RetryLoop}: every call is safe to repeat. An absent block is an answer, not a
 * failure. A failed listing resumes where it was.
 */
public record Retrying(BlockStore delegate, RetryPolicy patience, Pause pause, Random random) implements Forwarding {
    public Retrying(BlockStore delegate) {
        this(delegate, RetryPolicy.USUAL, Pause.REAL, new Random());
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        int position = target.position();
        return repeat("get", key.text(), () -> delegate.get(key, offset, target.position(position)));
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        repeat("put", key.text(), Call.of(() -> delegate.put(key, data.duplicate())));
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        return repeat("put", key.text(), () -> PutsOnce.of(delegate).putIfAbsent(key, data.duplicate()));
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        repeat("delete", key.text(), Call.of(() -> delegate.delete(key)));
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        repeat("delete", keys.size() + " blocks", Call.of(() -> delegate.deleteAll(keys)));
    }

    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        Resumed.Repeating repeating = new Resumed.Repeating() {
            @Override
            public <R> R repeat(Call<R> call) throws IOException {
                return Retrying.this.repeat("list", prefix, call);
            }
        };
        return new Resumed(() -> delegate.list(prefix), repeating).stream();
    }

    private <R extends @Nullable Object> R repeat(String what, String key, Call<R> call) throws IOException {
        return new RetryLoop(patience, pause, random).repeat(what, key, NoSuchBlockException.class::isInstance, call);
    }
}

package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Retries failed calls: every call is safe to repeat. Waits between half and all of what {@link RetryPolicy} says, at
 * random, so that many clients do not retry at once; longer if the store asks for it. An absent block is an answer, not
 * a failure, and so is a refusal; an interrupted caller does not wait. A failed listing resumes where it was.
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
        long start = pause.nanoTime();
        for (int attempt = 1; ; attempt++) {
            try {
                return call.run();
            } catch (NoSuchBlockException | RefusedException | ClosedByInterruptException answer) {
                throw answer;
            } catch (IOException failed) {
                if (Thread.currentThread().isInterrupted()) {
                    throw failed;
                }
                waitOrGiveUp(what, key, attempt, start, failed);
            }
        }
    }

    private void waitOrGiveUp(String what, String key, int attempt, long start, IOException failed) throws IOException {
        Duration asked = failed instanceof SlowDownException slow ? slow.atLeast() : Duration.ZERO;
        Duration delay = jittered(patience.delay(attempt)).plus(asked);
        Duration passed = Duration.ofNanos(pause.nanoTime() - start);
        if (attempt >= patience.attempts() || passed.plus(delay).compareTo(patience.total()) > 0) {
            throw new UnavailableException(patience.attempts() == 1 ? failed.getMessage()
                    : "failed to %s %s after %d attempts in %d ms: %s"
                    .formatted(what, key, attempt, passed.toMillis(), failed.getMessage()), failed);
        }
        pause.sleep(delay);
    }

    private Duration jittered(Duration delay) {
        long nanos = delay.toNanos();
        return Duration.ofNanos(nanos - (nanos < 2 ? 0 : random.nextLong(nanos / 2)));
    }
}

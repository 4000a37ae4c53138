package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Tries again when the store fails: every call is safe to repeat. Waits between half and all of what {@link Patience}
 * says, at random, so that many clients do not return at once. An absent block is an answer, not a failure; an
 * interrupted caller is not made to wait. Of a listing only the opening is repeated.
 */
public record Retrying(BlockStore delegate, Patience patience, Pause pause, Random random) implements Forwarding {
    public Retrying(BlockStore delegate) {
        this(delegate, Patience.USUAL, Pause.REAL, new Random());
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
    public void delete(BlockKey key) throws IOException {
        repeat("delete", key.text(), Call.of(() -> delegate.delete(key)));
    }

    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        return repeat("list", prefix, () -> delegate.list(prefix));
    }

    private <R> R repeat(String what, String key, Call<R> call) throws IOException {
        long start = pause.nanoTime();
        for (int attempt = 1; ; attempt++) {
            try {
                return call.run();
            } catch (NoSuchBlockException | ClosedByInterruptException answer) {
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
        Duration delay = jittered(patience.delay(attempt));
        Duration passed = Duration.ofNanos(pause.nanoTime() - start);
        if (attempt >= patience.attempts() || passed.plus(delay).compareTo(patience.total()) > 0) {
            throw new IOException("gave up to %s %s after %d attempts in %d ms: %s"
                    .formatted(what, key, attempt, passed.toMillis(), failed.getMessage()), failed);
        }
        pause.sleep(delay);
    }

    private Duration jittered(Duration delay) {
        long nanos = delay.toNanos();
        return Duration.ofNanos(nanos - (nanos < 2 ? 0 : random.nextLong(nanos / 2)));
    }
}

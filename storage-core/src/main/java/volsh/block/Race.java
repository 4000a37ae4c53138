package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One get of {@link Hedged}: a first request, and a second one if it is late. Close it to end the losing request. */
final class Race implements AutoCloseable {
    private final Hedged store;
    private final BlockKey key;
    private final long offset;
    private final int length;
    private final long lateNanos;
    private final Abort first = new Abort();
    private final Abort second = new Abort();

    // Guarded by this. The second request's buffer belongs to its thread, until it is the answer; then to the race.
    private Optional<Future<?>> timer = Optional.empty();
    private boolean begun;
    private boolean failed;
    private boolean over;
    private @Nullable ByteBuffer answer;

    Race(Hedged store, BlockKey key, long offset, int length, long lateNanos) {
        this.store = store;
        this.key = key;
        this.offset = offset;
        this.length = length;
        this.lateNanos = lateNanos;
    }

    // ---- in the caller's thread

    int run(ByteBuffer target) throws IOException {
        int start = target.position();
        callWhenLate();
        try {
            return store.requests().get(key, offset, target, first);
        } catch (NoSuchBlockException | RefusedException definite) {
            throw definite;
        } catch (IOException trouble) {
            var other = await().orElseThrow(() -> trouble);
            int count = other.remaining();
            target.position(start).put(other);
            store.secondWon();
            return count;
        }
    }

    /** The result of the second request, as soon as it is known; empty if there is none or it failed, too. */
    private synchronized Optional<ByteBuffer> await() {
        try {
            while (begun && !failed && answer == null) {
                wait();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        return Optional.ofNullable(answer);
    }

    @Override
    public void close() {
        synchronized (this) {
            over = true;
            timer.ifPresent(each -> each.cancel(false));
            if (answer != null) {
                store.buffers().giveBack(answer);
            }
        }
        second.call();
    }

    // ---- in the timer's thread

    private synchronized void callWhenLate() {
        try {
            timer = Optional.of(store.timer().schedule(this::late, lateNanos, TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException closed) {
            timer = Optional.empty();   // the store is being closed, and the first request will fail soon
        }
    }

    /** Sends the second request; if that is not possible now, tries again later. */
    private synchronized void late() {
        if (over) {
            return;
        }
        var buffer = store.buffers().take(length);
        if (buffer.isPresent() && store.permitHedge()) {
            begun = true;
            Thread.ofVirtual().name("hedge").start(() -> ask(buffer.get()));
            return;
        }
        buffer.ifPresent(store.buffers()::giveBack);
        callWhenLate();
    }

    // ---- in a thread of the second request

    private void ask(ByteBuffer buffer) {
        boolean good = false;
        try {
            store.requests().get(key, offset, buffer, second);
            good = tell(buffer.flip());
        } catch (IOException | RuntimeException trouble) {
            // the first request goes on; if it fails, its failure is reported
        } finally {
            if (!good) {
                end(buffer);
            }
        }
        if (good) {
            first.call();
        }
    }

    /** Whether the answer is still needed. */
    private synchronized boolean tell(ByteBuffer bytes) {
        if (!over) {
            answer = bytes;
            notifyAll();
        }
        return !over;
    }

    private synchronized void end(ByteBuffer buffer) {
        failed = true;
        store.buffers().giveBack(buffer);
        notifyAll();
    }
}

package volsh.place;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads ranges of objects from stores and collects the results: a store that fails or is late is replaced by the next
 * in line, while there is one. Every request has its own memory, so that a late answer does no harm.
 */
final class Gather {
    /** A request to a store; {@code number} is the caller's. */
    record Wish(int number, Member member, Part part, long block, int offset, int length) {}

    /** The result of a request. */
    sealed interface Answer {
        Wish wish();
    }

    /** The bytes, in memory of {@link Scratch}. */
    record Bytes(Wish wish, ByteBuffer bytes) implements Answer {}

    record Failure(Wish wish, IOException failure) implements Answer {}

    private final StoreThreads crew;
    private final Scratch scratch;
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private final List<Wish> waiting = new ArrayList<>();

    Gather(StoreThreads crew, Scratch scratch) {
        this.crew = crew;
        this.scratch = scratch;
    }

    void ask(Wish wish) {
        waiting.add(wish);
        crew.execute(() -> answers.add(answer(wish)));
    }

    private Answer answer(Wish wish) {
        try {
            return read(wish, scratch.take(wish.length()));
        } catch (RuntimeException | OutOfMemoryError failed) {   // the caller waits for an answer
            return new Failure(wish, new IOException(failed));
        }
    }

    private Answer read(Wish wish, ByteBuffer room) {
        try {
            int count = wish.member().get(wish.part().key(wish.block()), wish.offset(), room);
            if (count < wish.length()) {
                throw new IOException("shard %s on store %s is truncated".formatted(wish.part().key(wish.block()),
                        wish.member()));
            }
            return new Bytes(wish, room.flip());
        } catch (IOException failed) {
            scratch.giveBack(room);
            return new Failure(wish, failed);
        }
    }

    /** The number of pending requests. */
    int waiting() {
        return waiting.size();
    }

    /** The pending requests. */
    List<Wish> late() {
        return List.copyOf(waiting);
    }

    /** The next answer, or null if all pending stores are late. */
    @Nullable Answer next() throws InterruptedIOException {
        long patience = 0;
        for (var wish : waiting) {
            patience = Math.max(patience, wish.member().patience(wish.length()));
        }
        return poll(patience);
    }

    /** The next answer, however long it takes. */
    Answer nextForSure() throws InterruptedIOException {
        return Objects.requireNonNull(poll(Long.MAX_VALUE));
    }

    private @Nullable Answer poll(long nanos) throws InterruptedIOException {
        try {
            var answer = answers.poll(nanos, TimeUnit.NANOSECONDS);
            if (answer != null) {
                waiting.remove(answer.wish());
            }
            return answer;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while reading from stores");
        }
    }

    /** Collects {@code wanted} answers from these requests, sent in this order; adds to {@code failures}. */
    List<Bytes> collect(int wanted, List<Wish> line, List<Failure> failures) throws InterruptedIOException {
        Deque<Wish> left = new ArrayDeque<>(line);
        var found = new ArrayList<Bytes>();
        for (int i = 0; i < wanted && !left.isEmpty(); i++) {
            ask(left.removeFirst());
        }
        while (found.size() < wanted && waiting() > 0) {
            var answer = left.isEmpty() ? nextForSure() : next();
            if (answer instanceof Bytes bytes) {
                found.add(bytes);
                continue;
            }
            if (answer instanceof Failure failure) {
                failures.add(failure);
            }
            if (!left.isEmpty()) {
                ask(left.removeFirst());
            }
        }
        return found;
    }
}

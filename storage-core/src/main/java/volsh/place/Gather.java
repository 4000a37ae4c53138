package volsh.place;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Asks stores for ranges of objects, and takes what comes: who fails or is late is replaced by the next in line, while there is one.
 * Everybody has memory of his own, so that a late answer harms nobody.
 */
final class Gather {
    /** What is asked of a store; {@code number} is the caller's. */
    record Wish(int number, Member member, Part part, long block, int offset, int length) {}

    /** What became of it: bytes, in memory of {@link Scratch}, or why not. */
    record Answer(Wish wish, ByteBuffer bytes, IOException failure) {}

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
        ByteBuffer room = null;
        try {
            room = scratch.take(wish.length());
            int count = wish.member().get(wish.part().key(wish.block()), wish.offset(), room);
            if (count < wish.length()) {
                throw new IOException("shard %s of store %s is cut short".formatted(wish.part().key(wish.block()), wish.member()));
            }
            return new Answer(wish, room.flip(), null);
        } catch (IOException failed) {
            scratch.giveBack(room);
            return new Answer(wish, null, failed);
        } catch (RuntimeException | OutOfMemoryError failed) {   // who asks waits for an answer
            return new Answer(wish, null, new IOException(failed));
        }
    }

    /** How many have not answered. */
    int waiting() {
        return waiting.size();
    }

    /** Those that have not answered. */
    List<Wish> late() {
        return List.copyOf(waiting);
    }

    /** The next answer, or null if all who are waited for are late. */
    Answer next() throws InterruptedIOException {
        long patience = 0;
        for (var wish : waiting) {
            patience = Math.max(patience, wish.member().patience(wish.length()));
        }
        return poll(patience);
    }

    /** The next answer, however long it takes. */
    Answer nextForSure() throws InterruptedIOException {
        return poll(Long.MAX_VALUE);
    }

    private Answer poll(long nanos) throws InterruptedIOException {
        try {
            var answer = answers.poll(nanos, TimeUnit.NANOSECONDS);
            if (answer != null) {
                waiting.remove(answer.wish());
            }
            return answer;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while stores were read");
        }
    }

    /** Collects {@code wanted} answers from those in line, who are asked in that order; what fails is told to {@code failures}. */
    List<Answer> collect(int wanted, List<Wish> line, List<Answer> failures) throws InterruptedIOException {
        Deque<Wish> left = new ArrayDeque<>(line);
        var found = new ArrayList<Answer>();
        for (int i = 0; i < wanted && !left.isEmpty(); i++) {
            ask(left.removeFirst());
        }
        while (found.size() < wanted && waiting() > 0) {
            var answer = left.isEmpty() ? nextForSure() : next();
            if (answer != null && answer.failure() == null) {
                found.add(answer);
                continue;
            }
            if (answer != null) {
                failures.add(answer);
            }
            if (!left.isEmpty()) {
                ask(left.removeFirst());
            }
        }
        return found;
    }
}

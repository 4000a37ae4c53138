package volsh.place;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.block.GetLatencies;
import volsh.block.NoSuchBlockException;
import volsh.block.UnavailableException;

/**
 * Reads a block of which several stores have a copy: from the fastest one; if that is late, also from the next, and the
 * first answer wins; if it fails, from the next. Every request has its own memory, so that a late answer does no harm.
 */
final class MirrorReads {
    private final Members members;
    private final StoreThreads crew;
    private final Scratch scratch;

    MirrorReads(Members members, StoreThreads crew, Scratch scratch) {
        this.members = members;
        this.crew = crew;
        this.scratch = scratch;
    }

    /** The result of a read: how many bytes, and which stores turned out to have no copy. */
    record Read(int count, List<Integer> lacking) {}

    private sealed interface Answer {}

    private record Bytes(ByteBuffer bytes, int count) implements Answer {}

    private record Failure(Member member, IOException failure) implements Answer {}

    Read get(long block, List<Part> parts, long offset, ByteBuffer target) throws IOException {
        var order = new ArrayList<Member>();
        for (var part : parts) {
            order.add(members.of(part.store()));
        }
        var ranks = new HashMap<Member, Integer>();   // computed once, because they change
        order.forEach(each -> ranks.put(each, each.rank()));
        order.sort(Comparator.comparing((Member each) -> ranks.get(each)).thenComparingDouble(Member::meanNanos));
        var answers = new LinkedBlockingQueue<Answer>();
        var failures = new ArrayList<IOException>();
        var lacking = new ArrayList<Integer>();
        int asked = 0;
        while (failures.size() < order.size()) {
            if (asked == failures.size()) {   // no request is pending
                ask(order.get(asked++), block, offset, target.remaining(), answers);
            }
            long patience = asked < order.size() ? order.get(asked - 1).patience(target.remaining())
                    : GetLatencies.UNKNOWN;
            var answer = await(answers, patience);
            switch (answer) {
                case null -> ask(order.get(asked++), block, offset, target.remaining(), answers);   // late
                case Bytes(var bytes, int count) -> {
                    target.put(bytes.flip());
                    scratch.giveBack(bytes);
                    return new Read(count, lacking);
                }
                case Failure(var member, var failure) -> {
                    failures.add(failure);
                    if (failure instanceof NoSuchBlockException) {
                        lacking.add(member.number());
                    }
                }
            }
        }
        throw lacking.size() == order.size() ? failures.getFirst() : none(block, order, failures);
    }

    private void ask(Member member, long block, long offset, int length, BlockingQueue<Answer> answers) {
        crew.execute(() -> {
            try {
                answers.add(read(member, block, offset, scratch.take(length)));
            } catch (RuntimeException | OutOfMemoryError failed) {   // the caller waits for an answer
                answers.add(new Failure(member, new IOException(failed)));
            }
        });
    }

    private Answer read(Member member, long block, long offset, ByteBuffer room) {
        try {
            return new Bytes(room, member.get(BlockKey.of(block), offset, room));
        } catch (IOException failed) {
            scratch.giveBack(room);
            return new Failure(member, failed);
        }
    }

    private static @Nullable Answer await(BlockingQueue<Answer> answers, long nanos) throws InterruptedIOException {
        try {
            return nanos == GetLatencies.UNKNOWN ? answers.take() : answers.poll(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while reading a copy");
        }
    }

    private static IOException none(long block, List<Member> order, List<IOException> failures) {
        var none = new UnavailableException("block %016x: none of its %d copies can be read from stores %s: %s"
                .formatted(block, order.size(), order, failures.getFirst().getMessage()), failures.getFirst());
        failures.stream().skip(1).forEach(none::addSuppressed);
        return none;
    }
}

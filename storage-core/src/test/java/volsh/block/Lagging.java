package volsh.block;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Answers gets as late as it is told, or not at all. One that is aborted or fails has put rubbish into its target by
 * then, as nobody may rely on what is in there.
 */
record Lagging(BlockStore delegate, Supplier<Answer> answers, AtomicLong gets, AtomicLong puts, AtomicLong waitedFor)
        implements Forwarding, AbortableGets {
    private static final int SLOW_MILLIS = 100;

    /** When, and whether it is good. */
    record Answer(int millis, boolean good) {}

    Lagging(BlockStore delegate, Supplier<Answer> answers) {
        this(delegate, answers, new AtomicLong(), new AtomicLong(), new AtomicLong());
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        return get(key, offset, target, new Abort());
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target, Abort abort) throws IOException {
        gets.incrementAndGet();
        var answer = answers.get();
        var aborted = new CountDownLatch(1);
        abort.by(aborted::countDown);
        boolean inTime = !await(aborted, answer.millis());
        if (!inTime || !answer.good()) {
            scribble(target);
            throw new IOException(inTime ? "out of order" : "aborted");
        }
        if (answer.millis() >= SLOW_MILLIS) {
            waitedFor.incrementAndGet();
        }
        return delegate.get(key, offset, target);
    }

    private static boolean await(CountDownLatch aborted, int millis) throws IOException {
        try {
            return aborted.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }

    private static void scribble(ByteBuffer target) {
        while (target.hasRemaining()) {
            target.put((byte) 0xee);
        }
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        puts.incrementAndGet();
        await(new CountDownLatch(1), answers.get().millis());
        delegate.put(key, data);
    }
}

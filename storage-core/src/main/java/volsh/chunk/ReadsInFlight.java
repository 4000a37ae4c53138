package volsh.chunk;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The reads of one file that are under way, so that it is known which past state of the file they may still need. Reads begin in the current of two
 * epochs; {@link #advance} begins the next epoch once all reads of the one before the current have ended. So a file that is read without a gap, each
 * read being of finite length, lets go of past states all the same.
 *
 * <p>Many threads read one file: they count without a lock. A read that counted itself while the epoch changed counts again, so one that is not seen by
 * {@link #advance} begins after it.
 */
final class ReadsInFlight {
    private final AtomicIntegerArray reads = new AtomicIntegerArray(2);
    private volatile int current;
    private long since;    // reads of the current epoch began when this tick was running, or later
    private long before;   // reads of the other epoch began when this one was, or later

    /** A read begins: to be called before it asks the metadata, or what is remembered of it. Returns the epoch, for {@link #end}. */
    int begin() {
        while (true) {
            int epoch = current;
            reads.incrementAndGet(epoch);
            if (epoch == current) {
                return epoch;
            }
            reads.decrementAndGet(epoch);
        }
    }

    /** The read has its bytes, or failed: it will get no block any more. */
    void end(int epoch) {
        reads.decrementAndGet(epoch);
    }

    /**
     * {@code tick} is running, and nothing that was remembered before it began is known any more. Returns a tick that was running when the oldest read
     * under way began, or before; 0 if none is known.
     */
    synchronized long advance(long tick) {
        if (reads.get(1 - current) == 0) {
            before = since;
            since = tick;
            current = 1 - current;
        }
        return reads.get(1 - current) == 0 ? since : before;
    }
}

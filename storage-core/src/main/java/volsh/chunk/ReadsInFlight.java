package volsh.chunk;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The reads of one file that are under way, which tell which past state of the file may still be needed. Reads begin in
 * the current of two epochs; {@link #advance} begins the next epoch once all reads of the previous one have ended. A
 * file that is read without a pause therefore lets go of past states all the same, as each read ends.
 *
 * <p>Threads count themselves without a lock. A read that counted itself while the epoch changed counts itself again,
 * so a read that {@link #advance} does not see begins after it.
 */
final class ReadsInFlight {
    private final AtomicIntegerArray reads = new AtomicIntegerArray(2);
    private volatile int current;
    private long since;    // reads of the current epoch began when this tick was running, or later
    private long before;   // reads of the other epoch began when this one was, or later

    /**
     * A read begins: to be called before it uses the metadata or remembered extents. Returns the epoch, for {@link
     * #end}.
     */
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

    /** The read has its bytes, or failed: it reads no more blocks. */
    void end(int epoch) {
        reads.decrementAndGet(epoch);
    }

    /**
     * {@code tick} is running, and everything remembered from before it was dropped. Returns a tick that was running
     * when the oldest read under way began, or an earlier one; 0 if none is known.
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

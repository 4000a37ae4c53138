package volsh.chunk;

/**
 * The reads of one file that are under way, so that it is known which past state of the file they may still need. Reads begin in the current of two
 * epochs; {@link #advance} begins the next epoch once all reads of the one before the current have ended. So a file that is read without a gap, each
 * read being of finite length, lets go of past states all the same.
 */
final class ReadsInFlight {
    private final int[] reads = new int[2];
    private int current;
    private long since;    // reads of the current epoch began when this tick was running, or later
    private long before;   // reads of the other epoch began when this one was, or later

    /** A read begins: to be called before it asks the metadata, or what is remembered of it. Returns the epoch, for {@link #end}. */
    synchronized int begin() {
        reads[current]++;
        return current;
    }

    /** The read has its bytes, or failed: it will get no block any more. */
    synchronized void end(int epoch) {
        reads[epoch]--;
    }

    /**
     * {@code tick} is running, and nothing that was remembered before it began is known any more. Returns a tick that was running when the oldest read
     * under way began, or before; 0 if none is known.
     */
    synchronized long advance(long tick) {
        if (reads[1 - current] == 0) {
            current = 1 - current;
            before = since;
            since = tick;
        }
        return reads[1 - current] == 0 ? since : before;
    }
}

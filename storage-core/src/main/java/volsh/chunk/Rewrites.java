package volsh.chunk;

import java.util.concurrent.atomic.LongAdder;

/** Counts what is stored again to keep files in few extents. */
public final class Rewrites {
    private final LongAdder tails = new LongAdder();
    private final LongAdder merges = new LongAdder();

    Rewrites() {}

    void tookTail() {
        tails.increment();
    }

    void merged() {
        merges.increment();
    }

    /** How often a flush took the end of its file over. */
    public long tails() {
        return tails.sum();
    }

    /** How often crowded extents were merged. */
    public long merges() {
        return merges.sum();
    }
}

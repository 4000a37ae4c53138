package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sends a second request for a late get, and takes the first good answer: a few of many gets from a bucket take a
 * hundred times as long as the others, and a training job waits for the slowest. Late means longer than 95 of 100
 * recent gets of its size, and at least 50 ms. At most one in twenty gets is sent twice, so an overloaded store gets
 * few more requests; none while it asks to slow down. Puts are never hedged.
 *
 * <p>The first request runs in the caller's thread and fills the caller's memory. The second has its own memory, and is
 * copied only if it wins; then the first is aborted, and has ended when the call returns: nothing writes to the
 * caller's memory any more.
 */
public final class Hedged implements Forwarding {
    /** Larger gets are not hedged: they are limited by the bandwidth. */
    private static final int LENGTH_MAX = 5 << 20;
    private static final int AT_ONCE = 4;

    private final AbortableGets delegate;
    private final HedgeBudget budget = new HedgeBudget();
    private final GetLatencies latencies = new GetLatencies();
    private final SpareBuffers buffers = new SpareBuffers(AT_ONCE, LENGTH_MAX);
    private final ScheduledThreadPoolExecutor timer;
    private final LongAdder gets = new LongAdder();
    private final LongAdder hedges = new LongAdder();
    private final LongAdder won = new LongAdder();

    /** First requests, second ones, and how often the second one won. */
    public record Counts(long gets, long hedges, long won) {
        public static final Counts NONE = new Counts(0, 0, 0);
    }

    /** The counts of the hedged store among these nested stores, if there is one. */
    public static Counts countsWithin(BlockStore store) {
        var each = store;
        while (each instanceof Forwarding outer) {
            if (outer instanceof Hedged hedged) {
                return hedged.counts();
            }
            each = outer.delegate();
        }
        return Counts.NONE;
    }

    public Hedged(AbortableGets delegate) {
        this.delegate = delegate;
        this.timer = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("hedge-timer").daemon().factory());
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    public BlockStore delegate() {
        return delegate;
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        int length = target.remaining();
        long begin = System.nanoTime();
        budget.earn();
        gets.increment();
        try {
            int count = get(key, offset, target, latencies.late(length));
            latencies.add(length, System.nanoTime() - begin);
            return count;
        } catch (SlowDownException busy) {
            budget.forfeit();
            throw busy;
        }
    }

    private int get(BlockKey key, long offset, ByteBuffer target, long late) throws IOException {
        if (late == GetLatencies.UNKNOWN || target.remaining() > LENGTH_MAX) {
            return delegate.get(key, offset, target);
        }
        try (var race = new Race(this, key, offset, target.remaining(), late)) {
            return race.run(target);
        }
    }

    AbortableGets requests() {
        return delegate;
    }

    ScheduledThreadPoolExecutor timer() {
        return timer;
    }

    SpareBuffers buffers() {
        return buffers;
    }

    /** Whether a second request is allowed; if so, it is counted. */
    boolean permitHedge() {
        boolean permitted = budget.spend();
        if (permitted) {
            hedges.increment();
        }
        return permitted;
    }

    void secondWon() {
        won.increment();
    }

    public Counts counts() {
        return new Counts(gets.sum(), hedges.sum(), won.sum());
    }

    @Override
    public void close() throws IOException {
        timer.shutdownNow();
        delegate.close();
    }
}

package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.LongAdder;

/**
 * Asks a second time for what is late, and takes the first good answer: of many gets from a bucket a few take a hundred times
 * as long as the others, and whoever trains a model waits for the slowest. Late is what takes longer than 95 of 100 gets of its
 * size did lately, and at least 50 ms. Only one in twenty gets, all in all, is asked for twice, so a store in trouble is not
 * asked much more; none while it asks for less. Puts are never hedged.
 *
 * <p>The first request runs in the caller's thread and fills the caller's memory. The second has memory of its own, and is
 * copied only if it wins; then the first is aborted, and has ended when the call returns: nobody writes to the caller's memory
 * any more.
 */
public final class Hedged implements Forwarding {
    /** More than this is not asked for twice: it is the wire that takes the time. */
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

    /** First requests, second ones, and how often the second was the one that was taken. */
    public record Counts(long gets, long hedges, long won) {
        public static final Counts NONE = new Counts(0, 0, 0);
    }

    /** What the one among these stores over stores has counted, if there is one. */
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

    /** Whether there may be a second request; if so, it is counted. */
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

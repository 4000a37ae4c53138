package volsh.cache;

import java.util.LinkedHashMap;

/**
 * Keeps what a training loop comes back to. A loop reads its whole data set once per epoch, in the same or another
 * order; evicting the least recently used frame would then always evict the one that is needed next. This policy
 * measures the time between reads of a frame instead, and evicts only frames that were not read for clearly longer than
 * that. If there is none, the new frame is not kept, so that a part of a data set that is too large for the cache stays
 * in it.
 *
 * <p>It remembers when frames were last read, also of evicted ones, as far back as {@link ReuseWindow#MEMORY} times the
 * cache; for large caches only of a sample chosen by key, to save memory. The {@link ReuseWindow} decides how long a
 * frame may stay unread.
 */
public final class EpochPolicy implements EvictionPolicy {
    private static final int REMEMBERED_MAX = 4096;

    private final long sampled;
    private final LinkedHashMap<FrameKey, Long> lastAccess = new LinkedHashMap<>(64, 0.75f, true);
    private long budget;
    private volatile ReuseWindow patience;

    /** For a cache of {@code budget} bytes with frames of at most {@code frameLength} bytes. */
    public EpochPolicy(long budget, int frameLength) {
        this.budget = budget;
        long frames = ReuseWindow.MEMORY * budget / frameLength;
        this.sampled = Long.highestOneBit(Math.max(1, frames / REMEMBERED_MAX)) - 1;
        this.patience = new ReuseWindow(budget);
    }

    @Override
    public void accessed(FrameKey key, long now) {
        if ((key.mixed() >>> 40 & sampled) == 0) {
            note(key, now);
        }
    }

    private synchronized void note(FrameKey key, long now) {
        Long before = lastAccess.put(key, now);
        if (before == null) {
            forget(now);
        }
        patience.observe(before == null ? -1 : before, now);
    }

    private void forget(long now) {
        var oldest = lastAccess.firstEntry();
        while (lastAccess.size() > 2 * REMEMBERED_MAX || now - oldest.getValue() > ReuseWindow.MEMORY * budget) {
            lastAccess.pollFirstEntry();
            oldest = lastAccess.firstEntry();
        }
    }

    @Override
    public boolean mayEvict(long idle) {
        return patience.mayEvict(idle);
    }

    @Override
    public synchronized void resize(long bytes) {
        budget = bytes;
        patience = new ReuseWindow(bytes);
    }
}

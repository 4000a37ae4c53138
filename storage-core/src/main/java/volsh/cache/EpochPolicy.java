package volsh.cache;

import java.util.LinkedHashMap;

/**
 * Keeps what a training loop comes back to. A loop reads its whole data set once per epoch, in the same or another order:
 * who evicts the least recently used frame then always evicts the one that is needed next. This policy measures instead how
 * long frames stay away, and lets go only of those that stay away clearly longer than that; if there is none, the new frame
 * is not kept, so that a part of a data set too large for the cache stays in it.
 *
 * <p>It remembers when frames were last asked for, of those that are gone too, as far back as {@value #MEMORY} times the
 * cache; of large caches only of a sample chosen by key, so that this takes little memory. The longest recent reuse
 * distance times {@value #PATIENCE}, but {@value #SPAN_MIN} to {@value #SPAN_MAX} times the cache, is how long a frame may
 * stay away. Frames asked for again within {@value #BURST} of the cache are still being read, which says nothing.
 */
final class EpochPolicy implements Policy {
    private static final int MEMORY = 8;
    private static final double PATIENCE = 1.25;
    private static final int SPAN_MIN = 1;
    private static final int SPAN_MAX = 16;
    private static final double BURST = 0.02;
    private static final int REMEMBERED_MAX = 4096;

    private final long budget;
    private final long sampled;
    private final LinkedHashMap<FrameKey, Long> lastAccess = new LinkedHashMap<>(64, 0.75f, true);
    private long longest;
    private long longestBefore;
    private long turned;
    private volatile long patience;

    /** For a cache of {@code budget} bytes, whose frames have {@code frameLength} bytes at most. */
    EpochPolicy(long budget, int frameLength) {
        this.budget = budget;
        long frames = MEMORY * budget / frameLength;
        this.sampled = Long.highestOneBit(Math.max(1, frames / REMEMBERED_MAX)) - 1;
        this.patience = SPAN_MIN * budget;
    }

    @Override
    public void accessed(FrameKey key, long now) {
        if ((key.mixed() >>> 40 & sampled) == 0) {
            note(key, now);
        }
    }

    private synchronized void note(FrameKey key, long now) {
        Long before = lastAccess.put(key, now);
        if (before != null && now - before > BURST * budget) {
            longest = Math.max(longest, now - before);
        } else if (before == null) {
            forget(now);
        }
        if (now - turned > patience) {
            turned = now;
            longestBefore = longest;
            longest = 0;
        }
        long span = (long) (PATIENCE * Math.max(longest, longestBefore));
        patience = Math.clamp(span, SPAN_MIN * budget, SPAN_MAX * budget);
    }

    private void forget(long now) {
        var oldest = lastAccess.firstEntry();
        while (lastAccess.size() > 2 * REMEMBERED_MAX || now - oldest.getValue() > MEMORY * budget) {
            lastAccess.pollFirstEntry();
            oldest = lastAccess.firstEntry();
        }
    }

    @Override
    public boolean mayEvict(long idle) {
        return idle > patience;
    }
}

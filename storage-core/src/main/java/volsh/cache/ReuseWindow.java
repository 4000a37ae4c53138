package volsh.cache;

/**
 * How long a frame may stay unread before a cache of {@code budget} bytes evicts it: {@value #FACTOR} times the longest
 * recent reuse distance, but {@value #SPAN_MIN} to {@value #SPAN_MAX} times the cache. Frames read again within {@value
 * #BURST} of the cache are part of the same read and do not count; frames unread for more than {@value #MEMORY} times
 * the cache count as new. Not thread-safe, except for {@link #mayEvict}.
 */
final class ReuseWindow {
    static final int MEMORY = 8;
    private static final double FACTOR = 1.25;
    private static final int SPAN_MIN = 1;
    private static final int SPAN_MAX = 16;
    private static final double BURST = 0.02;

    private final long budget;
    private long longest;
    private long longestBefore;
    private long turned;
    private volatile long span;

    ReuseWindow(long budget) {
        this.budget = budget;
        this.span = SPAN_MIN * budget;
    }

    /** A frame is read that was last read at {@code before}; negative if it is new. */
    void observe(long before, long now) {
        if (before >= 0 && !isBurst(now - before) && now - before <= MEMORY * budget) {
            longest = Math.max(longest, now - before);
        }
        if (now - turned > span) {
            turned = now;
            longestBefore = longest;
            longest = 0;
        }
        span = Math.clamp((long) (FACTOR * Math.max(longest, longestBefore)), SPAN_MIN * budget, SPAN_MAX * budget);
    }

    /** Whether a frame is read again so soon that it is part of the same read. */
    boolean isBurst(long distance) {
        return distance <= BURST * budget;
    }

    boolean mayEvict(long idle) {
        return idle > span;
    }
}

package volsh.block;

import java.time.Duration;

/**
 * How often and how long to retry: at most {@code attempts} in all, waiting {@code first} and then twice as long each
 * time up to {@code longest}, and no new attempt once {@code total} has passed.
 */
public record RetryPolicy(int attempts, Duration first, Duration longest, Duration total) {
    /** Waits out a throttled or restarting store: up to ten attempts within a minute. */
    public static final RetryPolicy USUAL =
            new RetryPolicy(10, Duration.ofMillis(50), Duration.ofSeconds(10), Duration.ofMinutes(1));

    /** For a store with redundancy: up to four attempts within three seconds. */
    public static final RetryPolicy BRIEF = new RetryPolicy(4, Duration.ofMillis(50), Duration.ofSeconds(1),
            Duration.ofSeconds(3));

    /** For a probe, which has to say whether a store answers now: one attempt. */
    public static final RetryPolicy ONCE = new RetryPolicy(1, Duration.ZERO, Duration.ZERO, Duration.ZERO);

    public RetryPolicy {
        if (attempts < 1 || first.isNegative() || longest.compareTo(first) < 0 || total.isNegative()) {
            throw new IllegalArgumentException("invalid retry policy: %d attempts, %s to %s within %s"
                    .formatted(attempts, first, longest, total));
        }
    }

    /** The longest wait after the {@code failed}-th failure. */
    Duration delay(int failed) {
        Duration doubled = first.multipliedBy(1L << Math.min(failed - 1, 30));
        return doubled.compareTo(longest) < 0 ? doubled : longest;
    }
}

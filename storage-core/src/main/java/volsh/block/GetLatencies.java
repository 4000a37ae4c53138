package volsh.block;

import java.util.Arrays;

/**
 * Recent latencies of gets by size, and so when an answer is late: after the 95th percentile, and no sooner than {@link
 * #FLOOR_NANOS}. Thread-safe.
 */
public final class GetLatencies {
    static final long FLOOR_NANOS = 50_000_000;
    /** Not enough is known yet. */
    public static final long UNKNOWN = Long.MAX_VALUE;
    /** Answers of one size needed to learn from. */
    static final int LEARNT = 32;

    private static final int CLASSES = 4;
    private static final int SMALLEST_BITS = 16;

    private final Window[] windows = new Window[CLASSES];

    public GetLatencies() {
        Arrays.setAll(windows, each -> new Window());
    }

    public void add(int bytes, long nanos) {
        of(bytes).add(nanos);
    }

    /** Nanoseconds after which an answer of this many bytes is late. */
    public long late(int bytes) {
        return of(bytes).late;
    }

    /** Up to 64 KiB, 256 KiB, 1 MiB, and more. */
    private Window of(int bytes) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(bytes - 1, 0));
        return windows[Math.clamp((bits - SMALLEST_BITS + 1) / 2, 0, CLASSES - 1)];
    }

    private static final class Window {
        private static final int SIZE = 128;
        private static final int SORTED_EVERY = 16;

        private final long[] last = new long[SIZE];
        private long count;
        private volatile long late = UNKNOWN;

        synchronized void add(long nanos) {
            last[(int) (count++ % SIZE)] = nanos;
            if (count >= LEARNT && count % SORTED_EVERY == 0) {
                long[] sorted = Arrays.copyOf(last, (int) Math.min(count, SIZE));
                Arrays.sort(sorted);
                late = Math.max(FLOOR_NANOS, sorted[sorted.length * 95 / 100]);
            }
        }
    }
}

package volsh.care;

/**
 * How many blocks are worked on at once, by how long they take. While more at once make none slower, the stores have
 * capacity. Slower blocks mean a queue, and readers and writers beside would wait in it, too: then there are fewer,
 * down to one. Not thread-safe.
 */
public final class AdaptiveConcurrency {
    static final int MOST = 8;

    private static final double QUEUE_SHORT = 1.5;   // in blocks
    private static final double QUEUE_LONG = 2.5;

    private final long[] best = new long[Long.SIZE + 1];   // nanoseconds, by the binary order of the length
    private double width = 1;

    int now() {
        return (int) width;
    }

    /** A block of {@code bytes} bytes took {@code nanos}. What exceeds the best time is time in queues. */
    void took(long bytes, long nanos) {
        int order = Long.SIZE - Long.numberOfLeadingZeros(bytes);
        long took = Math.max(1, nanos);
        best[order] = best[order] == 0 ? took : Math.min(best[order], took);
        double queued = width * (1 - (double) best[order] / took);
        if (queued < QUEUE_SHORT) {
            width = Math.min(MOST, width + 1 / width);
        } else if (queued > QUEUE_LONG) {
            width = Math.max(1, width - 1 / width);
        }
    }
}

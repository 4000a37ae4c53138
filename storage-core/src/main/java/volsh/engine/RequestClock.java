package volsh.engine;

/**
 * When the request that this thread answers began, so that one deadline counts for all that it asks of the metadata: a lookup, then a listing, then attributes. A thread
 * that answers no request has none.
 */
public final class RequestClock {
    private static final long LATE_NANOS = 3_600_000_000_000L;
    private static final ThreadLocal<long[]> BEGAN = ThreadLocal.withInitial(() -> new long[] {0, 0});

    private RequestClock() {}

    /** A request begins, at this time of {@link System#nanoTime}. */
    public static void begin(long nanos) {
        var began = BEGAN.get();
        began[0] = 1;
        began[1] = nanos;
    }

    /** Begins one that has waited for long already: a server that does not answer is given up at once, one that does is asked as always. */
    public static void beginLate() {
        begin(System.nanoTime() - LATE_NANOS);
    }

    public static void end() {
        BEGAN.get()[0] = 0;
    }

    /** The work for another thread, where it counts as part of the request that this thread answers now. */
    public static Runnable carried(Runnable work) {
        var began = BEGAN.get();
        if (began[0] == 0) {
            return work;
        }
        long since = began[1];
        return () -> {
            begin(since);
            try {
                work.run();
            } finally {
                end();
            }
        };
    }

    /** When the request of this thread began; {@code now} if it answers none. */
    public static long beganOr(long now) {
        var began = BEGAN.get();
        return began[0] == 0 ? now : began[1];
    }
}

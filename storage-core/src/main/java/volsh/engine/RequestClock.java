package volsh.engine;

/**
 * When the request that this thread answers began, so that one deadline covers all its metadata operations: a lookup,
 * then a listing, then attributes. A thread without a request has none.
 */
public final class RequestClock {
    private static final long LATE_NANOS = 3_600_000_000_000L;
    private static final ThreadLocal<long[]> BEGAN = ThreadLocal.withInitial(() -> new long[] {0, 0});

    private RequestClock() {}

    /** A request begins, at this {@link System#nanoTime}. */
    public static void begin(long nanos) {
        var began = BEGAN.get();
        began[0] = 1;
        began[1] = nanos;
    }

    /** Begins a request whose deadline has already passed: a server that does not answer fails at once. */
    public static void beginLate() {
        begin(System.nanoTime() - LATE_NANOS);
    }

    public static void end() {
        BEGAN.get()[0] = 0;
    }

    /** Whether this thread answers a request. */
    public static boolean isRunning() {
        return BEGAN.get()[0] != 0;
    }

    /** Wraps work for another thread as part of the request that this thread answers now. */
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

    /** When the request of this thread began; {@code now} if there is none. */
    public static long beganOr(long now) {
        var began = BEGAN.get();
        return began[0] == 0 ? now : began[1];
    }
}

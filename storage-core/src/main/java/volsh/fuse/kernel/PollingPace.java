package volsh.fuse.kernel;

import java.util.concurrent.TimeUnit;

/**
 * Whether it pays to look for the next request instead of sleeping until it comes. It does for one program that asks, waits
 * for the answer and asks again at once: waking a thread takes longer than most answers. It does not for a program that
 * takes its time, for many that ask at once, which keep several threads busy anyway, or where the processors are wanted by
 * others, so that whoever asks gets none while somebody looks.
 *
 * <p>Knows nothing of threads and clocks; wrong numbers from threads that count at once only make it a little wrong.
 */
final class PollingPace {
    /** So long is looked for a request; who asks again later than this is not waited for. */
    static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    /** A request found by sleeping comes later by what waking takes. */
    private static final long SOON_NANOS = LOOK_NANOS + TimeUnit.MICROSECONDS.toNanos(60);
    private static final int FEWEST = 16;
    private static final int MOST = 512;
    /** Requests that looking must have found to have paid. */
    private static final int PAID = 64;
    private static final int CROWDED = 48;

    private volatile int needed = FEWEST;
    private volatile int soon;
    private volatile int found;
    private volatile int crowd;

    /** A request has come to a sleeper, so long after the last answer; true if it is worth while to look for the next ones. */
    boolean arrived(long gapNanos, boolean alone) {
        int now = gapNanos < SOON_NANOS && alone ? soon + 1 : Math.max(0, soon - 2);
        soon = now;
        return now >= needed;
    }

    /** Somebody looks from now on. */
    void begin() {
        soon = 0;
        found = 0;
        crowd = 0;
    }

    /** A request that looking has found is served; {@code others} if the next was there before its answer. False if one thread is too few. */
    boolean served(boolean others) {
        int crowded = others ? crowd + 3 : Math.max(0, crowd - 2);
        int more = found + 1;   // only who looks writes here
        found = more;
        crowd = crowded;
        return crowded < CROWDED;
    }

    /** Nobody looks any more. If it has not paid, it will take longer until it is tried again. */
    void end() {
        needed = found >= PAID && crowd < CROWDED ? FEWEST : Math.min(MOST, needed * 2);
        soon = 0;
    }
}

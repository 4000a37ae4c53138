package volsh.fuse.kernel;

import java.util.concurrent.TimeUnit;

/**
 * Decides whether to poll for the next request instead of sleeping. Polling pays for a single program that sends the
 * next request right after each answer: waking a thread takes longer than most answers. It does not pay for a program
 * that takes its time, for many concurrent programs, which keep several threads busy anyway, or when other processes
 * need the processors, so that the polling thread takes the processor from the program it serves.
 *
 * <p>Knows nothing of threads and clocks; races between counting threads only make it slightly inaccurate.
 */
final class PollingPace {
    /** How long to poll for a request; a program that takes longer is not polled for. */
    static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    /** A request that wakes a sleeping thread arrives later by the wake-up time. */
    private static final long SOON_NANOS = LOOK_NANOS + TimeUnit.MICROSECONDS.toNanos(60);
    /** Sleeping costs nothing: also programs that take their time, or get no processor at once, are waited for. */
    static final long PATIENT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int FEWEST = 16;
    private static final int MOST = 512;
    /** Requests that polling must have found to have paid off. */
    private static final int PAID = 64;
    private static final int CROWDED = 48;

    private final long soonNanos;
    private volatile int needed = FEWEST;
    private volatile int soon;
    private volatile int found;
    private volatile int crowd;

    private PollingPace(long soonNanos) {
        this.soonNanos = soonNanos;
    }

    /** For polling. */
    static PollingPace polling() {
        return new PollingPace(SOON_NANOS);
    }

    /** For sleeping where a single program runs. */
    static PollingPace following() {
        return new PollingPace(PATIENT_NANOS);
    }

    /** A request woke a sleeping thread, {@code gapNanos} after the last answer; true if polling is worth while. */
    boolean arrived(long gapNanos, boolean alone) {
        int now = gapNanos < soonNanos && alone ? soon + 1 : Math.max(0, soon - 2);
        soon = now;
        return now >= needed;
    }

    /** Polling begins. */
    void begin() {
        soon = 0;
        found = 0;
        crowd = 0;
    }

    /**
     * A polled request was served; {@code others} if the next arrived before its answer. False if one thread is not
     * enough.
     */
    boolean served(boolean others) {
        int crowded = others ? crowd + 3 : Math.max(0, crowd - 2);
        int more = found + 1;   // written only by the polling thread
        found = more;
        crowd = crowded;
        return crowded < CROWDED;
    }

    /** Polling ends. If it has not paid off, the next attempt is delayed. */
    void end() {
        needed = found >= PAID && crowd < CROWDED ? FEWEST : Math.min(MOST, needed * 2);
        soon = 0;
    }
}

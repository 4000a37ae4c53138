package volsh.fuse.kernel;

/**
 * Decides by trial how the one thread that serves a single program waits for its next request: asleep on the program's
 * own processor, or polling beside it. Which is faster depends on what else the machine does: on an idle one the
 * program is woken on the other processor, and polling finds its requests there; on a busy one polling takes the
 * processor that others need.
 *
 * <p>Knows nothing of threads and clocks. Used by one thread at a time.
 */
final class WaitingTrial {
    /** How a thread waits. */
    enum Way { ASLEEP, POLLING }

    /** Requests of a trial. */
    static final int TRIED = 256;
    /** Requests after which the other way is tried again. */
    static final int KEPT = 16 * 1024;
    /** Fewer say nothing. */
    static final int FEWEST = 64;
    /** Sleeping costs no processor time: polling must be faster than this part of it. */
    private static final double BETTER = 0.87;

    private final double[] nanos = new double[Way.values().length];   // for one request; 0 until tried
    private Way way = Way.ASLEEP;
    private boolean mayPoll;
    private boolean trying;
    private int served;
    private int limit;
    private long began;

    /** A program asks alone from now on; {@code mayPoll} if so often that polling may pay. */
    Way begin(long now, boolean mayPoll) {
        this.mayPoll = mayPoll;
        return next(now, false);
    }

    private Way next(long now, boolean other) {
        var best = mayPoll ? best() : Way.ASLEEP;
        trying = mayPoll && (other || nanos[best.ordinal()] == 0);
        way = other && mayPoll ? best == Way.ASLEEP ? Way.POLLING : Way.ASLEEP : best;
        limit = trying ? TRIED : KEPT;
        served = 0;
        began = now;
        return way;
    }

    private Way best() {
        double asleep = nanos[Way.ASLEEP.ordinal()];
        double polling = nanos[Way.POLLING.ordinal()];
        if (asleep == 0 || polling == 0) {
            return asleep == 0 ? Way.ASLEEP : Way.POLLING;
        }
        return polling < BETTER * asleep ? Way.POLLING : Way.ASLEEP;
    }

    /** A request was answered; returns the way to wait for the next. */
    Way served(long now) {
        if (++served < limit) {
            return way;
        }
        boolean tried = trying;
        note(now);
        return next(now, !tried);
    }

    /** The program no longer asks alone; {@code answered} is when it was answered last. */
    void end(long answered) {
        if (served >= FEWEST) {
            note(answered);
        }
        served = 0;
    }

    private void note(long now) {
        double each = (double) (now - began) / served;
        double before = nanos[way.ordinal()];
        nanos[way.ordinal()] = before == 0 ? each : (before + each) / 2;
    }

    /** This program cannot be followed: polling is all there is. */
    Way refuseSleep() {
        way = Way.POLLING;
        return way;
    }
}

package volsh.fuse.kernel;

/**
 * Decides by trial how the requests of a single program are waited for: by all threads wherever they are, by one thread
 * asleep on the program's own processor, or by one that polls beside it. Which is faster depends on what else the
 * machine does. On an idle one the program is woken on the other processor, so that a thread that sleeps where the
 * program was has to be woken across processors, too; on a busy one the program stays, and polling takes the processor
 * that others need.
 *
 * <p>Knows nothing of threads and clocks. Used by one thread at a time.
 */
final class WaitingTrial {
    /** How requests are waited for; later ones cost more processor time and must be faster to be chosen. */
    enum Way { ASLEEP, ANYWHERE, POLLING }

    /** Requests of a trial. */
    static final int TRIED = 256;
    /** Requests after which another way is tried again. */
    static final int KEPT = 16 * 1024;
    /** Fewer say nothing. */
    static final int FEWEST = 64;
    /** A program that is answered asleep and asks again within this time is brisk enough for polling to be tried. */
    static final long BRISK_NANOS = 300_000;
    /** The part of a cheaper way's time that a way may take to be better. */
    private static final double BETTER = 0.87;
    /** The weight of a request among those that were waited for anywhere. */
    private static final double RECENT = 1.0 / 32;

    private final double[] nanos = new double[Way.values().length];   // for one request; 0 until tried
    private Way way = Way.ANYWHERE;
    private boolean mayPoll;
    private boolean trying;
    private boolean polledLast;   // of the two other ways, polling was tried last
    private int served;
    private int limit;
    private int anywhere;   // requests that are still waited for anywhere before another way is tried
    private long began;

    /**
     * A program asks alone from now on; {@code mayPoll} if so often that polling may pay. If not, that is asked again
     * of every few requests: a program often begins slowly.
     */
    Way begin(long now, boolean mayPoll) {
        this.mayPoll = mayPoll;
        boolean kept = way == Way.ANYWHERE && limit == KEPT;
        return next(now, kept ? other() : best());
    }

    /**
     * A request that was waited for anywhere came this long after the one before, from a program that asks alone. True
     * if one thread should serve it alone from now on.
     */
    boolean arrived(long interval) {
        double before = nanos[Way.ANYWHERE.ordinal()];
        nanos[Way.ANYWHERE.ordinal()] = before == 0 ? interval : before + (interval - before) * RECENT;
        if (anywhere > 0) {
            anywhere--;
        }
        return anywhere == 0;
    }

    private Way next(long now, Way chosen) {
        var best = best();
        way = chosen;
        trying = chosen != best || nanos[chosen.ordinal()] == 0;
        limit = !trying && (mayPoll || way == Way.ANYWHERE) ? KEPT : TRIED;
        anywhere = way == Way.ANYWHERE ? limit : 0;
        served = 0;
        began = now;
        return way;
    }

    private Way best() {
        var best = Way.ASLEEP;
        for (var each : Way.values()) {
            double known = nanos[each.ordinal()];
            if (known == 0 && (each == Way.ASLEEP || each == Way.POLLING && mayPoll)) {
                return each;
            }
            if (known != 0 && (each != Way.POLLING || mayPoll) && known < BETTER * nanos[best.ordinal()]) {
                best = each;
            }
        }
        return best;
    }

    /** Another way than the best, to see whether things have changed. */
    private Way other() {
        polledLast = mayPoll && !polledLast;
        var other = polledLast ? Way.POLLING : Way.ANYWHERE;
        return other == best() ? Way.ASLEEP : other;
    }

    /** A request was answered; returns the way to wait for the next. */
    Way served(long now) {
        if (++served < limit) {
            return way;
        }
        note(now);
        return next(now, limit == TRIED ? best() : other());
    }

    /** The program no longer asks alone; {@code answered} is when it was answered last. */
    void end(long answered) {
        if (served >= FEWEST) {
            note(answered);
        } else if (way == Way.POLLING && nanos[way.ordinal()] == 0) {
            nanos[way.ordinal()] = 2 * nanos[Way.ASLEEP.ordinal()];   // it could not be kept up
        }
        served = 0;
    }

    private void note(long now) {
        double each = (double) (now - began) / served;
        mayPoll |= way == Way.ASLEEP && each < BRISK_NANOS;
        double before = nanos[way.ordinal()];
        nanos[way.ordinal()] = before == 0 ? each : (before + 3 * each) / 4;
    }

    /** This program cannot be followed: polling is all there is. */
    Way refuseSleep() {
        way = Way.POLLING;
        return way;
    }
}

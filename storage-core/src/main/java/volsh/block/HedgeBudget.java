package volsh.block;

/**
 * How many second requests may be sent: one for every so many first ones, saved up for a burst. A store in trouble is asked
 * hardly more often than one that is well. Thread-safe.
 */
final class HedgeBudget {
    private static final int FIRST_FOR_ONE = 20;
    private static final int BURST = 10;

    private long saved;

    /** A first request is sent. */
    synchronized void earn() {
        saved = Math.min(saved + 1, (long) BURST * FIRST_FOR_ONE);
    }

    /** Whether a second request may be sent; if so, it is paid for. */
    synchronized boolean spend() {
        if (saved < FIRST_FOR_ONE) {
            return false;
        }
        saved -= FIRST_FOR_ONE;
        return true;
    }

    /** The store asks for less: nothing is saved. */
    synchronized void forfeit() {
        saved = 0;
    }
}

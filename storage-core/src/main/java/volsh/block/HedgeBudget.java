package volsh.block;

/**
 * Limits the number of second requests: one for a number of first ones, saved up for a burst. An overloaded store gets
 * hardly more requests than a healthy one. Thread-safe.
 */
final class HedgeBudget {
    private static final int FIRST_FOR_ONE = 20;
    private static final int BURST = 10;

    private long saved;

    /** A first request is sent. */
    synchronized void earn() {
        saved = Math.min(saved + 1, (long) BURST * FIRST_FOR_ONE);
    }

    /** Whether a second request may be sent; if so, it is deducted. */
    synchronized boolean spend() {
        if (saved < FIRST_FOR_ONE) {
            return false;
        }
        saved -= FIRST_FOR_ONE;
        return true;
    }

    /** The store is overloaded: drops the savings. */
    synchronized void forfeit() {
        saved = 0;
    }
}

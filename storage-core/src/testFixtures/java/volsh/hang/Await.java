package volsh.hang;

import java.time.Duration;

/** Waits for a condition by asking every millisecond, and fails instead of hanging. */
public final class Await {
    private static final Duration LONGEST = Duration.ofMinutes(3);
    private static final Duration PAUSE = Duration.ofMillis(1);

    private Await() {}

    /** What is waited for. */
    public interface Condition {
        boolean holds() throws Exception;
    }

    /** @throws AssertionError if it does not hold within minutes, cannot be asked, or the thread is interrupted */
    public static void until(String what, Condition condition) {
        try {
            long end = System.nanoTime() + LONGEST.toNanos();
            while (!condition.holds()) {
                if (System.nanoTime() - end > 0) {
                    throw new AssertionError("waited in vain until " + what);
                }
                Thread.sleep(PAUSE);
            }
        } catch (Exception failed) {
            throw new AssertionError("waited until " + what, failed);
        }
    }
}

package volsh.block;

import java.util.Random;
import volsh.unit.Percent;

/** Decides, by a seed, which calls fail and how; counts them, so that a test can check there were any. Thread-safe. */
public final class Faults {
    private final Percent errors;
    private final Random random;
    private long injected;

    /** What happens to a call. */
    enum Fate {
        /** It is carried out and answered. */
        ANSWERED,
        /** It never reaches the store. */
        REFUSED,
        /** It is carried out, but the answer is lost. */
        REPLY_LOST,
        /** It fails in the middle. */
        CUT_SHORT
    }

    public Faults(Percent errors, long seed) {
        this.errors = errors;
        this.random = new Random(seed);
    }

    synchronized Fate next() {
        if (random.nextDouble() >= errors.fraction()) {
            return Fate.ANSWERED;
        }
        injected++;
        return Fate.values()[1 + random.nextInt(3)];
    }

    /** How many of {@code bytes} pass before a call fails in the middle. */
    synchronized int cut(int bytes) {
        return bytes == 0 ? 0 : random.nextInt(bytes);
    }

    /** The number of failed calls so far. */
    public synchronized long injected() {
        return injected;
    }
}

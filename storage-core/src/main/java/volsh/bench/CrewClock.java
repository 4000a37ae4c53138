package volsh.bench;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The clock of a crew; tests use their own. */
interface CrewClock {
    CrewClock SYSTEM = new CrewClock() {
        private static final long SPIN = 100_000;
        private static final long NAP = 50_000_000;

        @Override
        public long now() {
            return System.nanoTime();
        }

        @Override
        public void await(long due, BooleanSupplier stop) {
            for (long left = due - now(); left > 0 && !stop.getAsBoolean(); left = due - now()) {
                if (left > SPIN) {
                    LockSupport.parkNanos(Math.min(left - SPIN, NAP));
                } else {
                    Thread.onSpinWait();
                }
            }
        }
    };

    /** Nanoseconds since some moment. */
    long now();

    /** Sleeps, and spins for the last moment, until then or until cancelled. */
    void await(long due, BooleanSupplier stop);
}

package volsh.bench;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The time of a crew; tests have one of their own, which passes when they say so. */
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

    /** Sleeps, and for the last moment spins, until then or until somebody wants to stop. */
    void await(long due, BooleanSupplier stop);
}

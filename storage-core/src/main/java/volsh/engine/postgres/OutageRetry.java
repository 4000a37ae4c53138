package volsh.engine.postgres;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import volsh.engine.RequestClock;

/**
 * The time limit and the pauses of one operation's retries. Holds back interrupts of its thread meanwhile: one would
 * end a pause, and on a virtual thread a connection. Used by one thread.
 */
final class OutageRetry {
    private static final long PAUSE_MIN_NANOS = 100_000;
    private static final long CONFLICT_MAX_NANOS = 20_000_000;
    private static final long OUTAGE_MAX_NANOS = 250_000_000;

    private static final Duration LAST = Duration.ofSeconds(4);
    private static final Duration ANSWER = Duration.ofSeconds(20);

    private final Duration longest;
    private final long deadline;
    private boolean interrupted = Thread.interrupted();
    private int conflicts;
    private int outages;

    /** Counts from the beginning of the request that this thread answers: earlier waits count. */
    OutageRetry(Duration longest) {
        this(longest, Math.max(RequestClock.beganOr(System.nanoTime()) + longest.toNanos(),
                System.nanoTime() + Math.min(LAST.toNanos(), longest.toNanos())));
    }

    private OutageRetry(Duration longest, long deadline) {
        this.longest = longest;
        this.deadline = deadline;
    }

    /** What is left of it, but at least a little: to determine the fate of a change. */
    OutageRetry rest() {
        return new OutageRetry(longest,
                System.nanoTime() + Math.max(Math.min(LAST.toNanos(), longest.toNanos()), leftNanos()));
    }

    /** How long one answer may take, in milliseconds. Never too little for a slow server. */
    int answerMillis() {
        return (int) TimeUnit.NANOSECONDS.toMillis(Math.clamp(leftNanos(), Math.min(LAST.toNanos(), longest.toNanos()),
                ANSWER.toNanos()));
    }

    boolean isOver() {
        return leftNanos() <= 0;
    }

    long leftNanos() {
        return deadline - System.nanoTime();
    }

    Duration longest() {
        return longest;
    }

    /** Yields to the transaction that was faster. */
    void pauseAfterConflict() {
        pause(conflicts++, CONFLICT_MAX_NANOS);
    }

    /** Gives the server time to come back. */
    void pauseInOutage() {
        pause(8 + outages++, OUTAGE_MAX_NANOS);
    }

    private void pause(int times, long most) {
        interrupted |= Thread.interrupted();
        long chosen = Math.min(most, PAUSE_MIN_NANOS << Math.min(times, 20));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(chosen / 2, chosen + 1));
        interrupted |= Thread.interrupted();
    }

    /** An interrupt arrived while waiting elsewhere. */
    void interrupted() {
        interrupted = true;
    }

    /** Restores the interrupt for the caller. */
    void restoreInterrupt() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

package volsh.hang;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * Waits for what another thread or process does, and fails instead of hanging.
 *
 * <p>Asks every millisecond at first, then less often. A failure says what was awaited, for how long, and what was seen
 * last. An error of the question, such as a failed assertion, ends the wait at once. Tests wait with this rather than
 * with loops and sleeps of their own; {@code TestSourcesTest} looks after that.
 */
public final class Eventually {
    private static final Duration LONGEST = Duration.ofMinutes(3);
    private static final Duration PAUSE_MAX = Duration.ofMillis(50);
    /** A machine that stood still for minutes gets another chance. */
    private static final int QUESTIONS_MIN = 10;

    private Eventually() {}

    /** What is awaited. */
    public interface Condition {
        boolean holds() throws Exception;
    }

    /** Assertions that pass at some time. */
    public interface Assertions {
        void check() throws Exception;
    }

    /** Waits until the condition holds. */
    public static void holds(String what, Condition condition) {
        value(what, condition::holds, held -> held);
    }

    /** Waits until the condition holds, and fails at once if {@code work} ends before that. */
    public static void holdsDuring(Future<?> work, String what, Condition condition) {
        holds(what, () -> {
            boolean over = work.isDone();
            boolean held = condition.holds();
            if (over && !held) {
                throw new AssertionError("ended before %s: %s".formatted(what, outcome(work)));
            }
            return held;
        });
    }

    private static Object outcome(Future<?> done) {
        return switch (done.state()) {
            case SUCCESS -> done.resultNow();
            case FAILED -> done.exceptionNow();
            case CANCELLED, RUNNING -> done.state();
        };
    }

    /** Waits until the value is the wanted one, and returns it. */
    public static <T> T value(String what, Callable<T> question, Predicate<? super T> wanted) {
        return value(LONGEST, what, question, wanted);
    }

    static <T> T value(Duration longest, String what, Callable<T> question, Predicate<? super T> wanted) {
        long begun = System.nanoTime();
        T seen = null;
        try {
            for (int questions = 1; ; questions++) {
                seen = question.call();
                if (wanted.test(seen)) {
                    return seen;
                }
                long waited = System.nanoTime() - begun;
                if (waited > longest.toNanos() && questions >= QUESTIONS_MIN) {
                    throw new AssertionError("waited %d s in vain until %s; asked %d times, last seen: %s".formatted(
                            TimeUnit.NANOSECONDS.toSeconds(waited), what, questions, seen));
                }
                Thread.sleep(Duration.ofNanos(Math.clamp(waited / 10, 1_000_000, PAUSE_MAX.toNanos())));
            }
        } catch (Exception failed) {
            throw new AssertionError("waited until %s; last seen: %s".formatted(what, seen), failed);
        }
    }

    /** Waits until the assertions pass; the last of them that did not is the failure. */
    public static void passes(String what, Assertions assertions) {
        value(what, () -> {
            try {
                assertions.check();
                return "";
            } catch (AssertionError notYet) {
                return notYet.getMessage();
            }
        }, ""::equals);
    }

    /** Waits for a result; a failure of the work is a failure here, with that as its cause. */
    public static <T> T result(String what, Future<T> work) {
        try {
            return work.get(LONGEST.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw new AssertionError("waited in vain for %s: no end after %s".formatted(what, LONGEST), late);
        } catch (ExecutionException failed) {
            throw new AssertionError(what + " failed", failed.getCause());
        } catch (InterruptedException interrupted) {
            throw new AssertionError("waited for " + what, interrupted);
        }
    }

    /** Waits until the latch is open. */
    public static void open(String what, CountDownLatch latch) {
        try {
            if (!latch.await(LONGEST.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new AssertionError("waited in vain until %s: no end after %s".formatted(what, LONGEST));
            }
        } catch (InterruptedException interrupted) {
            throw new AssertionError("waited until " + what, interrupted);
        }
    }

    /** Waits until the clock shows a later second, which is a later tick of a volume's history. */
    public static void nextSecond() {
        long now = Instant.now().getEpochSecond();
        holds("the clock shows a later second", () -> Instant.now().getEpochSecond() > now);
    }
}

package volsh.catalog;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.block.Pause;

/**
 * Watches whether the clock of this machine goes on as time does. A clock that jumped once is not trusted again.
 * Thread-safe.
 */
public final class ClockJump {
    /** A volume that saw no change for longer does not tell whether the clock jumped. */
    public static final Duration IDLE = Duration.ofDays(7);

    private static final Duration APART = Duration.ofMinutes(5);

    private final InstantSource clock;
    private final Pause time;
    private final Instant began;
    private final long beganNanos;
    private @Nullable Jumped jumped;   // null if it has not

    /** The time of {@code time} goes on whatever is done to the clock. */
    public ClockJump(InstantSource clock, Pause time) {
        this.clock = clock;
        this.time = time;
        this.began = clock.instant();
        this.beganNanos = time.nanoTime();
    }

    /** The clock jumped by {@code by}: back, if that is negative. */
    public record Jumped(Instant found, Duration by) {}

    public synchronized Optional<Jumped> look() {
        var now = clock.instant();
        var by = Duration.between(began, now).minusNanos(time.nanoTime() - beganNanos);
        if (jumped == null && by.abs().compareTo(APART) > 0) {
            jumped = new Jumped(now, by);
        }
        return Optional.ofNullable(jumped);
    }
}

package volsh.vfs;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is told to move. */
public final class ManualClock implements InstantSource {
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");

    @Override
    public synchronized Instant instant() {
        return now;
    }

    public synchronized void advance(Duration time) {
        now = now.plus(time);
    }

    /** Nanoseconds since the epoch. */
    public long nanos() {
        var moment = instant();
        return moment.getEpochSecond() * 1_000_000_000L + moment.getNano();
    }
}

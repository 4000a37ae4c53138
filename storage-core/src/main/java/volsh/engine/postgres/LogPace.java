package volsh.engine.postgres;

import java.time.Duration;

/**
 * How often the log of changes is read in the background. Reads are never stale, whatever this says.
 *
 * @param look the longest time between rounds while there are no reads
 * @param rest between two rounds triggered by hints: others may write all the time, and there may be many clients
 * @param again how long after a lost connection the log is followed again
 * @param calm rows changed more recently than this are not remembered: using them would mostly fail
 */
record LogPace(Duration look, Duration rest, Duration again, Duration calm) {
    static LogPace standard() {
        return new LogPace(Duration.ofMillis(500), Duration.ofMillis(50), Duration.ofSeconds(1),
                Duration.ofMillis(200));
    }
}

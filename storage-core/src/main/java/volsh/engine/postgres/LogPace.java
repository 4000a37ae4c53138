package volsh.engine.postgres;

import java.time.Duration;

/**
 * How fast the log of changes is followed. What is read is never old, whatever this says.
 *
 * @param look how long nobody asks for changes, at most, while nobody reads
 * @param rest between two rounds that hints ask for: others change things all the time, and there may be many who listen
 * @param again how long after it was lost the log is followed anew
 * @param calm rows that changed so lately are not remembered: who used them would mostly ask in vain
 */
record LogPace(Duration look, Duration rest, Duration again, Duration calm) {
    static LogPace standard() {
        return new LogPace(Duration.ofMillis(500), Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofMillis(200));
    }
}

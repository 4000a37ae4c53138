package volsh.place;

import java.time.Duration;

/**
 * How long to wait for stores.
 *
 * @param needed  for failing stores that a put cannot do without
 * @param grace   for stores that a put can do without, once it has enough; longer if that took long
 * @param unknown for a get without latency statistics, before another store is asked too
 * @param overdue for any answer, before the store counts as hanging; longer if it is usually slow
 * @param look    for a store to return or accept its part of a block during repair
 */
record Delays(Duration needed, Duration grace, Duration unknown, Duration overdue, Duration look) {
    static final Delays STANDARD = new Delays(
            Duration.ofSeconds(8), Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(1),
            Duration.ofSeconds(30));
}

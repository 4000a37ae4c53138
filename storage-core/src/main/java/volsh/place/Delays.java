package volsh.place;

import java.time.Duration;

/**
 * How long stores are waited for.
 *
 * @param needed  stores that fail, while a put cannot do without them
 * @param grace   those that a put can do without, once it has enough; longer if that took long
 * @param unknown a get of which nobody knows how long it should take, before another store is asked, too
 * @param overdue any answer, before the store is taken for one that hangs; longer if it usually takes long
 * @param look    a store that is to show its part of a block, or take it, while blocks are looked after
 */
record Delays(Duration needed, Duration grace, Duration unknown, Duration overdue, Duration look) {
    static final Delays STANDARD = new Delays(
            Duration.ofSeconds(8), Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(30));
}

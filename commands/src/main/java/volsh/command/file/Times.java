package volsh.command.file;

import java.time.Instant;

/** Converts nanoseconds since the epoch to instants. */
final class Times {
    private static final long SECOND = 1_000_000_000L;

    private Times() {}

    static Instant of(long nanos) {
        return Instant.ofEpochSecond(Math.floorDiv(nanos, SECOND), Math.floorMod(nanos, SECOND));
    }

    static long nanos(Instant moment) {
        return Math.addExact(Math.multiplyExact(moment.getEpochSecond(), SECOND), moment.getNano());
    }
}

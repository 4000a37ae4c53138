package volsh.block;

import java.time.Duration;
import java.time.Instant;

/**
 * Bytes of a put that has not finished: it is in progress, or its process was killed in the middle. No key names them
 * and no listing shows them.
 *
 * @param name  its unique name in the store
 * @param bytes its size; 0 if the store does not say
 */
public record UnfinishedPut(String name, long bytes, Instant since, Writer writer) {
    /** No put takes that long: an older one with an unknown writer is presumed abandoned. */
    private static final Duration LONGEST = Duration.ofHours(1);

    /** What is known of the process that puts. */
    public enum Writer { ALIVE, GONE, UNKNOWN }

    /** Whether it will never be finished; if its writer is unknown, whether it is older than {@code age}, too. */
    public boolean isAbandoned(Instant now, Duration age) {
        var least = age.compareTo(LONGEST) > 0 ? age : LONGEST;
        return writer == Writer.GONE || writer == Writer.UNKNOWN && since.isBefore(now.minus(least));
    }
}

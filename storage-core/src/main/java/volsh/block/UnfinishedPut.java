package volsh.block;

import java.time.Duration;
import java.time.Instant;

/**
 * Bytes of a put that has not finished: it is under way, or its process was killed in the middle. No key names them and no listing shows them.
 *
 * @param name  what the store calls it, unique in the store
 * @param bytes what it takes; 0 where the store does not say
 */
public record UnfinishedPut(String name, long bytes, Instant since, Writer writer) {
    /** No put takes that long; where the writer cannot be asked, this is how it is known that it is gone. */
    private static final Duration LONGEST = Duration.ofHours(1);

    /** What is known of the process that puts. */
    public enum Writer { ALIVE, GONE, UNKNOWN }

    /** Whether it never will be finished; where its writer is unknown, whether it is older than {@code age} too. */
    public boolean isAbandoned(Instant now, Duration age) {
        var least = age.compareTo(LONGEST) > 0 ? age : LONGEST;
        return writer == Writer.GONE || writer == Writer.UNKNOWN && since.isBefore(now.minus(least));
    }
}

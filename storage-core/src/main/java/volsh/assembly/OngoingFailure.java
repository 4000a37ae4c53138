package volsh.assembly;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A repeated task has failed since this time; the reason is that of its last failure. */
public record OngoingFailure(Instant since, Exception cause) {
    /** It failed once more. */
    public static OngoingFailure again(@Nullable OngoingFailure before, Exception cause, Instant now) {
        return new OngoingFailure(before == null ? now : before.since(), cause);
    }
}

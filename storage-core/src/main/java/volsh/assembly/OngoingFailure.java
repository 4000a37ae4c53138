package volsh.assembly;

import java.time.Instant;

/** Something that is tried again and again has failed since then, for this reason the last time. */
public record OngoingFailure(Instant since, Exception cause) {
    /** It failed once more. */
    public static OngoingFailure again(OngoingFailure before, Exception cause, Instant now) {
        return new OngoingFailure(before == null ? now : before.since(), cause);
    }
}

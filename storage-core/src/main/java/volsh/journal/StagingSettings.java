package volsh.journal;

import java.time.Duration;

/**
 * How much may wait in the journal ({@code limit} bytes: more goes straight to the store, at the store's speed), and how
 * long a block waits before it is stored, in case it is deleted meanwhile.
 */
public record StagingSettings(long limit, Duration delay) {
    public StagingSettings {
        if (limit < 0 || delay.isNegative()) {
            throw new IllegalArgumentException("impossible: limit %d, delay %s".formatted(limit, delay));
        }
    }
}

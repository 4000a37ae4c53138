package volsh.journal;

import java.time.Duration;

/**
 * How much may wait in the journal ({@code limit} bytes: more goes straight to the store, at the store's speed), how
 * long a block waits before it is stored, in case it is deleted meanwhile, and how long a small one waits at least for others that
 * are stored together with it.
 */
public record StagingSettings(long limit, Duration delay, Duration company) {
    /** Small ones wait no longer than others. */
    public StagingSettings(long limit, Duration delay) {
        this(limit, delay, Duration.ZERO);
    }

    public StagingSettings {
        if (limit < 0 || delay.isNegative() || company.isNegative()) {
            throw new IllegalArgumentException("impossible: limit %d, delay %s".formatted(limit, delay));
        }
    }
}

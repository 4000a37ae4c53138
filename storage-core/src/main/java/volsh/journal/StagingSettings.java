package volsh.journal;

import java.time.Duration;

/**
 * How much may be staged ({@code limit} bytes: more goes straight to the store, at the store's speed), how long a block
 * waits before it is stored, in case it is deleted meanwhile, and how long a small one waits at least for others to be
 * stored together with it.
 */
public record StagingSettings(long limit, Duration delay, Duration company) {
    /** Small blocks wait no longer than others. */
    public StagingSettings(long limit, Duration delay) {
        this(limit, delay, Duration.ZERO);
    }

    public StagingSettings {
        if (limit < 0 || delay.isNegative() || company.isNegative()) {
            throw new IllegalArgumentException("invalid writeback settings: limit %d, delay %s"
                    .formatted(limit, delay));
        }
    }
}

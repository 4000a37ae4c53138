package volsh.shard;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A format cannot hold a sample: the message says why, without naming the sample. */
public final class UnfitSampleException extends IOException {
    private static final long serialVersionUID = 1;

    public UnfitSampleException(@Nullable String reason) {
        super(reason);
    }
}

package volsh.shard;

import java.io.IOException;

/** A format cannot hold a sample: the message says why, without naming the sample. */
public final class UnfitSampleException extends IOException {
    private static final long serialVersionUID = 1;

    public UnfitSampleException(String reason) {
        super(reason);
    }
}

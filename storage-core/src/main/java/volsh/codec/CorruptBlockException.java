package volsh.codec;

import java.io.IOException;

/**
 * Stored bytes that are not what was written: damaged, cut short, or some other block's. None of them were handed out.
 */
public final class CorruptBlockException extends IOException {
    private boolean missing;

    public CorruptBlockException(BlockIdentity identity, String wrong) {
        super("%s: %s".formatted(identity, wrong));
    }

    CorruptBlockException(BlockIdentity identity, int frame, String wrong) {
        super("%s, frame %d: %s".formatted(identity, frame, wrong));
    }

    CorruptBlockException(String wrong) {
        super(wrong);
    }

    /** The block is not there at all. */
    public static CorruptBlockException missing(BlockIdentity identity, String wrong) {
        var gone = new CorruptBlockException(identity, wrong);
        gone.missing = true;
        return gone;
    }

    /** Whether there is no such block, rather than a wrong one. */
    public boolean isMissing() {
        return missing;
    }
}

package volsh.codec;

import java.io.IOException;

/**
 * Stored bytes are not what was written: damaged, cut short, or of another block. None of them were returned to a
 * reader.
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

    /** For a block that is missing. */
    public static CorruptBlockException missing(BlockIdentity identity, String wrong) {
        var gone = new CorruptBlockException(identity, wrong);
        gone.missing = true;
        return gone;
    }

    /** Whether the block is missing, rather than damaged. */
    public boolean isMissing() {
        return missing;
    }
}

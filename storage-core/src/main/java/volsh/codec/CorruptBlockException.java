package volsh.codec;

import java.io.IOException;

/**
 * Stored bytes that are not what was written: damaged, cut short, or some other block's. None of them were handed out.
 */
public final class CorruptBlockException extends IOException {
    public CorruptBlockException(BlockIdentity identity, String wrong) {
        super("%s: %s".formatted(identity, wrong));
    }

    CorruptBlockException(BlockIdentity identity, int frame, String wrong) {
        super("%s, frame %d: %s".formatted(identity, frame, wrong));
    }

    CorruptBlockException(String wrong) {
        super(wrong);
    }
}

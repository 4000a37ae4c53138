package volsh.cache.disk;

import java.io.IOException;
import java.nio.file.Path;
import volsh.unit.ByteSize;

/** A pin is larger than what may still be pinned. */
public final class PinTooLargeException extends IOException {
    private static final long serialVersionUID = 1;

    PinTooLargeException(Path directory, long wanted, long pinned, long quota) {
        super("%s do not fit: of the %s of %s at most %s may be pinned (%d%%), and %s already are".formatted(
                new ByteSize(wanted), new ByteSize(quota), directory, new ByteSize(Pins.share(quota)),
                Pins.SHARE_PERCENT, new ByteSize(pinned)));
    }
}

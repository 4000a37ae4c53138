package volsh.transfer;

import java.io.IOException;

/**
 * The source of a copy cannot be read, which concerns one file; other failures are of the target, and stop the
 * transfer.
 */
final class UnreadableException extends IOException {
    private final transient IOException reason;

    UnreadableException(IOException reason) {
        super(reason.getMessage(), reason);
        this.reason = reason;
    }

    IOException reason() {
        return reason;
    }
}

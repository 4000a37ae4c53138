package volsh.transfer;

import java.io.IOException;

/**
 * The source of a copy cannot be read, which concerns one file; what else goes wrong is the target's trouble, and all
 * files'.
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

package volsh.block;

import java.io.IOException;

/** The store answers, but refuses: retrying is useless before a setting is fixed. The message says which. */
public final class RefusedException extends IOException {
    /** What has to be fixed. */
    public enum Reason {
        /** Credentials are missing, wrong, expired or insufficient. */
        DENIED,
        /** The bucket does not exist. */
        NO_SUCH_PLACE,
        /** The store is accessed in a way it does not accept, such as the wrong region. */
        WRONG_SETTINGS
    }

    private final Reason reason;

    public RefusedException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}

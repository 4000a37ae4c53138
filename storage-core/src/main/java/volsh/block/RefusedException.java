package volsh.block;

import java.io.IOException;

/**
 * The store answers, and will not do it however often it is asked: something has to be set right first. The message says
 * what.
 */
public final class RefusedException extends IOException {
    /** What is to be set right. */
    public enum Reason {
        /** Credentials are missing, wrong, expired or not enough. */
        DENIED,
        /** There is no such place: the bucket does not exist. */
        NO_SUCH_PLACE,
        /** The store is reached in a way it does not accept, such as the wrong region. */
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

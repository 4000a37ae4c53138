package volsh.tree;

import java.io.IOException;

/** A copy does not have the bytes that it should have; it was not given its name. */
public final class MismatchException extends IOException {
    private static final long serialVersionUID = 1;

    public MismatchException(String message) {
        super(message);
    }
}

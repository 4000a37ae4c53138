package volsh.tensor;

import java.io.IOException;

/** A tensor file violates its format; the message says briefly how. */
public final class TensorFormatException extends IOException {
    private static final long serialVersionUID = 1;

    public TensorFormatException(String message) {
        super(message);
    }
}

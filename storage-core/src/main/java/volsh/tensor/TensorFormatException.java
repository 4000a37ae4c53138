package volsh.tensor;

import java.io.IOException;

/** A file of tensors is not what its format asks for; the message says in a few words what is wrong. */
public final class TensorFormatException extends IOException {
    private static final long serialVersionUID = 1;

    public TensorFormatException(String message) {
        super(message);
    }
}

package volsh.fs;

import java.io.IOException;
import java.util.Optional;

/** The metadata of files is not what was written, or is impossible. Retrying does not help; nothing is returned. */
public class DamagedException extends IOException {
    private static final long serialVersionUID = 1;

    private String volume;

    public DamagedException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Sets the volume it belongs to, unless it is known. */
    public final void isOf(String name) {
        volume = volume == null ? name : volume;
    }

    /** The volume, if known. */
    public final Optional<String> volume() {
        return Optional.ofNullable(volume);
    }
}

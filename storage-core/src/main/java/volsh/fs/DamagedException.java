package volsh.fs;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The metadata of files is not what was written, or is impossible. Retrying does not help; nothing is returned. */
public class DamagedException extends IOException {
    private static final long serialVersionUID = 1;

    private @Nullable String volume;

    public DamagedException(@Nullable String message, @Nullable Throwable cause) {
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

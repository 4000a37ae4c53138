package volsh.fs;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What describes the files is not what was written, or cannot be. Trying again does not help, and nothing of it is handed out. */
public class DamagedException extends IOException {
    private static final long serialVersionUID = 1;

    private @Nullable String volume;

    public DamagedException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Says which volume it is of, unless that is known. */
    public final void isOf(String name) {
        volume = volume == null ? name : volume;
    }

    /** The volume, where it is known. */
    public final Optional<String> volume() {
        return Optional.ofNullable(volume);
    }
}

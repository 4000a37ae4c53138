package volsh.fs;

import java.io.IOException;

/** What describes the files is not what was written, or cannot be. Trying again does not help, and nothing of it is handed out. */
public class DamagedException extends IOException {
    private static final long serialVersionUID = 1;

    public DamagedException(String message, Throwable cause) {
        super(message, cause);
    }
}

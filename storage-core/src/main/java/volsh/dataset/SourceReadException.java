package volsh.dataset;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A file of the source cannot be read, or is not what it was when the source was scanned. */
public final class SourceReadException extends IOException {
    private static final long serialVersionUID = 1;
    private final int sample;
    private final String path;
    private final String reason;

    SourceReadException(int sample, String path, String reason, @Nullable Throwable cause) {
        super(path + ": " + reason, cause);
        this.sample = sample;
        this.path = path;
        this.reason = reason;
    }

    public int sample() {
        return sample;
    }

    public String path() {
        return path;
    }

    public String reason() {
        return reason;
    }
}

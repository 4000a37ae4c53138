package volsh.shard.format;

import java.io.IOException;
import volsh.shard.Field;
import volsh.shard.UnfitSampleException;

/** The source of a field failed, not the shard it was to be written to. */
final class UnreadableFieldException extends IOException {
    private static final long serialVersionUID = 1;
    private final String text;
    private final IOException reason;

    UnreadableFieldException(Field field, IOException reason) {
        this("field '%s' cannot be read: %s".formatted(field.name(), reason.getMessage()), reason);
    }

    private UnreadableFieldException(String text, IOException reason) {
        super(text, reason);
        this.text = text;
        this.reason = reason;
    }

    IOException reason() {
        return reason;
    }

    /** The same, for a sample of which nothing was written. */
    UnfitSampleException unfit() {
        var unfit = new UnfitSampleException(text);
        unfit.initCause(reason);
        return unfit;
    }
}

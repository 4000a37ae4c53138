package volsh.shard.format;

import java.io.IOException;
import volsh.shard.Field;

/** The source of a field failed, not the shard it was to be written to. */
final class UnreadableFieldException extends IOException {
    private static final long serialVersionUID = 1;
    private final IOException reason;

    UnreadableFieldException(Field field, IOException reason) {
        super("field '%s' cannot be read: %s".formatted(field.name(), reason.getMessage()), reason);
        this.reason = reason;
    }

    IOException reason() {
        return reason;
    }
}

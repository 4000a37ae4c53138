package volsh.command.console;

import java.io.IOException;

/** The reader of standard output closed it, as {@code | head} does. Reported by the exit code alone. */
public final class BrokenPipeException extends IOException {
    public BrokenPipeException(IOException cause) {
        super("the reader of the output closed it", cause);
    }

    /** Whether a write failed for this reason, which the JDK reports only in the message. */
    public static boolean is(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return failure instanceof BrokenPipeException
                || message.contains("Broken pipe") || message.contains("Connection reset");
    }
}

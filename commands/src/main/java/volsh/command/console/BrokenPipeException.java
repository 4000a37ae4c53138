package volsh.command.console;

import java.io.IOException;

/** Whoever read our output has seen enough, as {@code | head} has. Not an error to talk about. */
public final class BrokenPipeException extends IOException {
    public BrokenPipeException(IOException cause) {
        super("the reader of our output is gone", cause);
    }

    /** Is this why writing failed? The JDK says so only in the text. */
    public static boolean is(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return failure instanceof BrokenPipeException
                || message.contains("Broken pipe") || message.contains("Connection reset");
    }
}

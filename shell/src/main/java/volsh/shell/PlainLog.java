package volsh.shell;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import volsh.command.render.Printable;

/**
 * Formats log records of a command like its other messages: {@code warning: what, and why}. The launcher names this
 * class to Java, which creates one with the first record. Long-running processes log times and traces instead.
 */
public final class PlainLog {
    private static final String CONFIGURATION = """
            handlers=java.util.logging.ConsoleHandler
            .level=INFO
            java.util.logging.ConsoleHandler.level=INFO
            java.util.logging.ConsoleHandler.formatter=%s
            """.formatted(Lines.class.getName());

    public PlainLog() throws IOException {
        LogManager.getLogManager()
                .readConfiguration(new ByteArrayInputStream(CONFIGURATION.getBytes(StandardCharsets.ISO_8859_1)));
    }

    /** A line each. */
    public static final class Lines extends Formatter {
        @Override
        public String format(LogRecord logged) {
            var thrown = logged.getThrown();
            String why = thrown == null ? ""
                    : ": " + (thrown.getMessage() == null ? thrown.toString() : thrown.getMessage());
            return Printable.of(word(logged.getLevel()) + ": " + formatMessage(logged) + why) + "\n";
        }

        private static String word(Level level) {
            return level.intValue() >= Level.SEVERE.intValue() ? "error"
                    : level.intValue() >= Level.WARNING.intValue() ? "warning" : "note";
        }
    }
}

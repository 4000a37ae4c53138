package volsh.event;

import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Turns the log messages of this process into events while it is open, except debug messages. */
public final class LogEvents extends Handler implements AutoCloseable {
    private static final String ROOT = "volsh";
    private static final Map<String, String> KINDS = Map.of("place", "store", "fuse", "request", "vfs", "request",
            "meta", "metadata");
    private static final Logger LOGGER = Logger.getLogger(ROOT);   // held, otherwise it would be lost with its handlers

    private final EventLog log;
    private final String subject;

    /** {@code subject}: what this process serves. */
    public LogEvents(EventLog log, String subject) {
        this.log = log;
        this.subject = subject;
        setLevel(Level.INFO);
        LOGGER.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        if (isLoggable(record) && record.getLoggerName() != null) {
            var level = record.getLevel().intValue() >= Level.SEVERE.intValue() ? Happening.Level.ERROR
                    : record.getLevel().intValue() >= Level.WARNING.intValue() ? Happening.Level.WARNING
                    : Happening.Level.INFO;
            var cause = record.getThrown() == null ? "" : ": " + record.getThrown().getMessage();
            log.add(level, kind(record.getLoggerName()), subject, record.getMessage() + cause);
        }
    }

    private static String kind(String logger) {
        var part = logger.substring(Math.min(logger.length(), ROOT.length() + 1)).split("\\.")[0];
        return KINDS.getOrDefault(part, part.isEmpty() ? "program" : part);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOGGER.removeHandler(this);
    }
}

package volsh.event;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import volsh.json.Fields;
import volsh.json.Json;

/**
 * An event.
 *
 * @param kind    what it concerns: mount, store, volume, journal, cache, checkpoint, request
 * @param subject which one, if known
 * @param pid     the reporting process
 */
public record Happening(Instant time, Level level, String kind, String subject, String text, long pid) {
    /** The severity. */
    public enum Level {
        INFO,
        WARNING,
        ERROR
    }

    byte[] line() throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("time", time.toString());
        fields.put("level", level.name());
        fields.put("kind", kind);
        fields.put("subject", subject);
        fields.put("text", text);
        fields.put("pid", pid);
        return Json.line(fields);
    }

    static Happening parse(byte[] line) throws IOException {
        Fields fields = Json.read(line);
        try {
            return new Happening(Instant.parse(fields.text("time")), Level.valueOf(fields.text("level")),
                    fields.text("kind"), fields.text("subject"),
                    fields.text("text"), fields.number("pid"));
        } catch (DateTimeException | IllegalArgumentException nonsense) {
            throw new IOException("invalid event: " + nonsense.getMessage(), nonsense);
        }
    }
}

package volsh.trace;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import volsh.fuse.Asked;

/**
 * A trace: its requests in the order of arrival.
 *
 * @param dropped requests that arrived too fast to be recorded
 * @param nanos   the duration of the recording
 * @param whole   false if the recording was truncated
 */
public record Trace(Map<String, String> header, List<Event> events, long dropped, long nanos, boolean whole) {

    /** @throws IOException if it is not a trace */
    public static Trace read(Path file) throws IOException {
        var lines = new Lines();
        try (var in = new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)),
                StandardCharsets.US_ASCII))) {
            if (!TraceWriter.MAGIC.equals(in.readLine())) {
                throw new IOException("%s is not a trace of a supported version".formatted(file));
            }
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
            }
        } catch (EOFException cutOff) {
            lines.end = null;
        } catch (ZipException | IllegalArgumentException nonsense) {
            throw new IOException("%s is not a valid trace: %s".formatted(file, nonsense.getMessage()), nonsense);
        }
        return lines.trace();
    }

    /** The lines read so far. */
    private static final class Lines {
        private final Map<String, String> header = new LinkedHashMap<>();
        private final List<Asked> requests = new ArrayList<>();
        private final NameTable names = new NameTable();
        private String @Nullable [] end;   // null unless it was written

        void add(String line) {
            if (line.startsWith(TraceWriter.HEADER)) {
                var words = line.split(" ", 3);
                header.put(words[1], new String(Asked.decoded(words[2]), StandardCharsets.UTF_8));
            } else if (line.startsWith(TraceWriter.NAME)) {
                var words = line.split(" ");
                names.put(Long.parseLong(words[1]), Long.parseLong(words[2]), Asked.decoded(words[3]));
            } else if (line.startsWith(TraceWriter.END)) {
                end = line.split(" ");
            } else {
                requests.add(Asked.parse(line));
            }
        }

        /** Names are followed in the order of the answers: a file has its new name once the rename was answered. */
        Trace trace() {
            requests.sort(Comparator.comparingLong(Asked::end));
            names.foresee(requests);
            var events = new ArrayList<Event>(requests.size());
            requests.forEach(asked -> events.add(names.follow(asked)));
            events.sort(Comparator.comparingLong(event -> event.asked().begin()));
            long last = requests.isEmpty() ? 0 : requests.getLast().end();
            return new Trace(header, events, end == null ? 0 : Long.parseLong(end[2]),
                    end == null ? last : Long.parseLong(end[3]), end != null);
        }
    }
}

package volsh.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import volsh.unit.ByteSize;

/** Runs as files: one JSON object each, times in nanoseconds, sizes in bytes. */
final class RunJson {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final int VERSION = 1;

    private RunJson() {}

    static byte[] write(Run run) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = FACTORY.createGenerator(bytes).useDefaultPrettyPrinter()) {
            out.writeStartObject();
            out.writeNumberField("version", VERSION);
            out.writeStringField("id", run.id());
            out.writeStringField("when", run.when().toString());
            out.writeStringField("profile", run.profile());
            out.writeStringField("target", run.target());
            out.writeObjectFieldStart("facts");
            for (var fact : new TreeMap<>(run.facts()).entrySet()) {
                out.writeStringField(fact.getKey(), fact.getValue());
            }
            out.writeEndObject();
            out.writeArrayFieldStart("rows");
            for (var row : run.rows()) {
                write(out, row);
            }
            out.writeEndArray();
            out.writeEndObject();
        }
        bytes.write('\n');
        return bytes.toByteArray();
    }

    private static void write(JsonGenerator out, Measurement row) throws IOException {
        out.writeStartObject();
        out.writeStringField("phase", row.phase());
        out.writeNumberField("threads", row.threads());
        out.writeNumberField("each", row.each().bytes());
        out.writeNumberField("operations", row.operations());
        out.writeNumberField("bytes", row.bytes().bytes());
        out.writeNumberField("elapsed", row.elapsed().toNanos());
        out.writeNumberField("p50", row.latency().p50().toNanos());
        out.writeNumberField("p95", row.latency().p95().toNanos());
        out.writeNumberField("p99", row.latency().p99().toNanos());
        out.writeNumberField("max", row.latency().max().toNanos());
        out.writeEndObject();
    }

    /** @throws IOException if that is not a run, saying why */
    static Run read(byte[] bytes) throws IOException {
        try (var in = FACTORY.createParser(bytes)) {
            in.nextToken();
            if (!(value(in) instanceof Map<?, ?> run)) {
                throw new IOException("not a JSON object");
            }
            if (number(run, "version") != VERSION) {
                throw new IOException("written by a newer volsh");
            }
            var facts = new LinkedHashMap<String, String>();
            for (Map.Entry<?, ?> fact : ((Map<?, ?>) field(run, "facts", Map.class)).entrySet()) {
                facts.put(fact.getKey().toString(), fact.getValue().toString());
            }
            var rows = new ArrayList<Measurement>();
            for (Object row : (List<?>) field(run, "rows", List.class)) {
                rows.add(row((Map<?, ?>) row));
            }
            return new Run(field(run, "id", String.class), Instant.parse(field(run, "when", String.class)), field(run, "profile", String.class),
                    field(run, "target", String.class), facts, rows);
        } catch (RuntimeException odd) {
            throw new IOException("not a run of a bench", odd);
        }
    }

    private static Measurement row(Map<?, ?> row) throws IOException {
        return new Measurement(field(row, "phase", String.class), (int) number(row, "threads"), new ByteSize(number(row, "each")),
                number(row, "operations"), new ByteSize(number(row, "bytes")), time(row, "elapsed"),
                new Latencies(time(row, "p50"), time(row, "p95"), time(row, "p99"), time(row, "max")));
    }

    private static Duration time(Map<?, ?> row, String name) throws IOException {
        return Duration.ofNanos(number(row, name));
    }

    private static long number(Map<?, ?> row, String name) throws IOException {
        return field(row, name, Long.class);
    }

    private static <T> T field(Map<?, ?> row, String name, Class<T> type) throws IOException {
        Object value = row.get(name);
        if (!type.isInstance(value)) {
            throw new IOException("no '%s' in it".formatted(name));
        }
        return type.cast(value);
    }

    private static Object value(JsonParser in) throws IOException {
        return switch (in.currentToken()) {
            case START_OBJECT -> {
                var object = new LinkedHashMap<String, Object>();
                while (in.nextToken() == JsonToken.FIELD_NAME) {
                    String name = in.currentName();
                    in.nextToken();
                    object.put(name, value(in));
                }
                yield object;
            }
            case START_ARRAY -> {
                var list = new ArrayList<Object>();
                while (in.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(in));
                }
                yield list;
            }
            case VALUE_NUMBER_INT -> in.getLongValue();
            case VALUE_STRING -> in.getText();
            default -> throw new IOException("unexpected " + in.currentToken());
        };
    }
}

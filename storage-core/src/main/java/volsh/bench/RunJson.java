package volsh.bench;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import volsh.json.Fields;
import volsh.json.Json;
import volsh.unit.ByteSize;

/** Runs as files: one JSON object each, times in nanoseconds, sizes in bytes. */
final class RunJson {
    private static final int VERSION = 1;

    private RunJson() {}

    static byte[] write(Run run) throws IOException {
        var object = new LinkedHashMap<String, Object>();
        object.put("version", VERSION);
        object.put("id", run.id());
        object.put("when", run.when());
        object.put("profile", run.profile());
        object.put("target", run.target());
        object.put("facts", new TreeMap<>(run.facts()));
        object.put("rows", run.rows().stream().map(RunJson::row).toList());
        return Json.write(object);
    }

    private static Map<String, Object> row(Measurement row) {
        var object = new LinkedHashMap<String, Object>();
        object.put("phase", row.phase());
        object.put("threads", row.threads());
        object.put("each", row.each().bytes());
        object.put("operations", row.operations());
        object.put("bytes", row.bytes().bytes());
        object.put("elapsed", row.elapsed().toNanos());
        object.put("p50", row.latency().p50().toNanos());
        object.put("p95", row.latency().p95().toNanos());
        object.put("p99", row.latency().p99().toNanos());
        object.put("max", row.latency().max().toNanos());
        if (!row.shares().isEmpty()) {
            object.put("shares", row.shares());
        }
        return object;
    }

    /** @throws IOException if it is not a valid run, saying why */
    static Run read(byte[] bytes) throws IOException {
        var run = Json.read(bytes);
        if (run.number("version") != VERSION) {
            throw new IOException("unsupported format: written by another version of volsh");
        }
        var facts = new LinkedHashMap<String, String>();
        run.fields("facts").values().forEach((name, value) -> facts.put(name, String.valueOf(value)));
        var rows = new ArrayList<Measurement>();
        for (var row : run.list("rows")) {
            rows.add(row(row));
        }
        try {
            return new Run(run.text("id"), Instant.parse(run.text("when")), run.text("profile"), run.text("target"),
                    facts, rows);
        } catch (DateTimeException odd) {
            throw new IOException("invalid time: " + run.text("when"), odd);
        }
    }

    private static Measurement row(Fields row) throws IOException {
        return new Measurement(row.text("phase"), (int) row.number("threads"), new ByteSize(row.number("each")),
                row.number("operations"), new ByteSize(row.number("bytes")), time(row, "elapsed"),
                new OperationLatencies(time(row, "p50"), time(row, "p95"), time(row, "p99"), time(row, "max")),
                shares(row));
    }

    private static Map<String, Double> shares(Fields row) throws IOException {
        var shares = new LinkedHashMap<String, Double>();
        if (row.has("shares")) {
            var fields = row.fields("shares");
            for (String name : fields.values().keySet()) {
                shares.put(name, fields.real(name));
            }
        }
        return shares;
    }

    private static Duration time(Fields row, String name) throws IOException {
        return Duration.ofNanos(row.number(name));
    }
}

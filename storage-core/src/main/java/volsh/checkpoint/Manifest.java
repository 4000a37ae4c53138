package volsh.checkpoint;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import volsh.json.Fields;
import volsh.json.Json;

/**
 * What a checkpoint holds, written last, before it gets its name.
 *
 * @param metrics what the job said of it, such as {@code loss}
 * @param files   in the order of their paths
 */
public record Manifest(String run, long step, Instant saved, Map<String, Double> metrics, List<Entry> files) {
    /** The file's name in the checkpoint's directory. */
    static final String NAME = ".checkpoint.json";

    private static final int VERSION = 1;

    public Manifest {
        metrics = Map.copyOf(metrics);
        files = List.copyOf(files);
    }

    /** One file; the path is relative to the checkpoint. */
    public record Entry(String path, long size, String sha256) {}

    public long bytes() {
        return files.stream().mapToLong(Entry::size).sum();
    }

    byte[] toBytes() throws IOException {
        var object = new LinkedHashMap<String, Object>();
        object.put("version", VERSION);
        object.put("run", run);
        object.put("step", step);
        object.put("saved", saved);
        object.put("metrics", new TreeMap<>(metrics));
        object.put("bytes", bytes());
        object.put("files", files.stream().map(Manifest::entry).toList());
        return Json.write(object);
    }

    private static Map<String, Object> entry(Entry file) {
        var object = new LinkedHashMap<String, Object>();
        object.put("path", file.path());
        object.put("size", file.size());
        object.put("sha256", file.sha256());
        return object;
    }

    /** @throws IOException if that is no manifest, saying why */
    static Manifest of(byte[] bytes) throws IOException {
        var fields = Json.read(bytes);
        if (fields.number("version") != VERSION) {
            throw new IOException("a manifest of version " + fields.number("version"));
        }
        var metrics = new LinkedHashMap<String, Double>();
        var given = fields.fields("metrics");
        for (String name : given.values().keySet()) {
            metrics.put(name, given.real(name));
        }
        var files = new ArrayList<Entry>();
        for (Fields file : fields.list("files")) {
            files.add(new Entry(file.text("path"), file.number("size"), file.text("sha256")));
        }
        try {
            return new Manifest(fields.text("run"), fields.number("step"), Instant.parse(fields.text("saved")), metrics, files);
        } catch (DateTimeException odd) {
            throw new IOException("not a time: " + fields.text("saved"), odd);
        }
    }
}

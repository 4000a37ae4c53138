package volsh.checkpoint;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import volsh.json.Fields;
import volsh.json.Json;

/**
 * The content of a checkpoint, written last, before it gets its name.
 *
 * @param metrics reported by the job, such as {@code loss}
 * @param files   in the order of their paths
 * @param labels  other properties, such as the snapshot of the data it was trained on
 * @param parent  the latest step of the run when this was saved
 * @param world   how many ranks saved a shard each; 0 if it was saved as one
 */
public record Manifest(String run, long step, Instant saved, Map<String, Double> metrics, List<Entry> files,
        Map<String, String> labels, OptionalLong parent, int world) {
    /** The file's name in the checkpoint's directory. */
    static final String NAME = ".checkpoint.json";

    private static final int VERSION = 1;

    public Manifest {
        metrics = Map.copyOf(metrics);
        files = List.copyOf(files);
        labels = Map.copyOf(labels);
    }

    /** The first checkpoint of its run, saved as one. */
    public Manifest(String run, long step, Instant saved, Map<String, Double> metrics, List<Entry> files) {
        this(run, step, saved, metrics, files, Map.of(), OptionalLong.empty(), 0);
    }

    /**
     * One file; the path is relative to the checkpoint. Of its bytes {@code fresh} were stored for it and {@code
     * shared} were already in the volume; {@code inline} ones are in the metadata, with the file's attributes, and
     * never in a store; the others are zeros, which are not stored at all.
     */
    public record Entry(String path, long size, String sha256, long fresh, long shared, long inline) {
        public Entry(String path, long size, String sha256, long fresh, long shared) {
            this(path, size, sha256, fresh, shared, 0);
        }

        /** Whether the other file has the same name and bytes. */
        boolean isSame(Entry other) {
            return other != null && path.equals(other.path) && size == other.size && sha256.equals(other.sha256);
        }

        Entry within(String directory) {
            return new Entry(path.substring(directory.length() + 1), size, sha256, fresh, shared, inline);
        }

        Entry below(String directory) {
            return new Entry(directory + "/" + path, size, sha256, fresh, shared, inline);
        }
    }

    public long bytes() {
        return files.stream().mapToLong(Entry::size).sum();
    }

    /** Bytes stored for it. */
    public long fresh() {
        return files.stream().mapToLong(Entry::fresh).sum();
    }

    /** Bytes shared with earlier content. */
    public long shared() {
        return files.stream().mapToLong(Entry::shared).sum();
    }

    /** Bytes of small files in the metadata. */
    public long inline() {
        return files.stream().mapToLong(Entry::inline).sum();
    }

    byte[] toBytes() throws IOException {
        var object = new LinkedHashMap<String, Object>();
        object.put("version", VERSION);
        object.put("run", run);
        object.put("step", step);
        object.put("saved", saved);
        if (parent.isPresent()) {
            object.put("parent", parent.getAsLong());
        }
        if (world > 0) {
            object.put("world", world);
        }
        object.put("metrics", new TreeMap<>(metrics));
        object.put("labels", new TreeMap<>(labels));
        object.put("bytes", bytes());
        object.put("new", fresh());
        object.put("shared", shared());
        object.put("files", files.stream().map(Manifest::entry).toList());
        return Json.write(object);
    }

    private static Map<String, Object> entry(Entry file) {
        var object = new LinkedHashMap<String, Object>();
        object.put("path", file.path());
        object.put("size", file.size());
        object.put("sha256", file.sha256());
        object.put("new", file.fresh());
        object.put("shared", file.shared());
        if (file.inline() > 0) {
            object.put("inline", file.inline());
        }
        return object;
    }

    /** @throws IOException if it is not a valid manifest, saying why */
    static Manifest of(byte[] bytes) throws IOException {
        var fields = Json.read(bytes);
        if (fields.number("version") != VERSION) {
            throw new IOException("unsupported manifest version " + fields.number("version"));
        }
        var metrics = new LinkedHashMap<String, Double>();
        var given = fields.fields("metrics");
        for (String name : given.values().keySet()) {
            metrics.put(name, given.real(name));
        }
        var labels = new LinkedHashMap<String, String>();
        if (fields.has("labels")) {
            var texts = fields.fields("labels");
            for (String name : texts.values().keySet()) {
                labels.put(name, texts.text(name));
            }
        }
        var files = new ArrayList<Entry>();
        for (Fields file : fields.list("files")) {
            files.add(entry(file));
        }
        try {
            return new Manifest(fields.text("run"), fields.number("step"), Instant.parse(fields.text("saved")),
                    metrics, files, labels, fields.has("parent") ? OptionalLong.of(fields.number("parent"))
                            : OptionalLong.empty(), fields.has("world") ? Math.toIntExact(fields.number("world")) : 0);
        } catch (DateTimeException | ArithmeticException odd) {
            throw new IOException("invalid time or number of ranks: " + fields.text("saved"), odd);
        }
    }

    /** Manifests without counts: all bytes were stored. */
    private static Entry entry(Fields file) throws IOException {
        long size = file.number("size");
        boolean counted = file.has("new") && file.has("shared");
        return new Entry(file.text("path"), size, file.text("sha256"), counted ? file.number("new") : size,
                counted ? file.number("shared") : 0, file.has("inline") ? file.number("inline") : 0);
    }
}

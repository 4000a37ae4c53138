package volsh.dataset;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsException;
import volsh.json.Json;

/**
 * Reads which files make a dataset from a list of paths, or from a table: CSV, TSV or JSON lines with a column {@code
 * path}, perhaps {@code label} (or {@code class}) and {@code key}. Further columns become the field {@code json} of a
 * sample. A path that names no file is a bad sample.
 */
public final class DatasetManifest {
    private static final Set<String> LABELS = Set.of("label", "class", "cls", "target");
    private static final Set<String> PATHS = Set.of("path", "file", "filename", "filepath", "image");

    private final DatasetDirectory directory;
    private final SourceScan scan;
    private final BadSamples bad;
    private final ScannedFiles files = new ScannedFiles();

    private DatasetManifest(DatasetDirectory directory, SourceScan scan, BadSamples bad) {
        this.directory = directory;
        this.scan = scan;
        this.bad = bad;
    }

    /** A path on each line. */
    public static ScannedFiles list(BufferedReader lines, DatasetDirectory directory, SourceScan scan, BadSamples bad)
            throws IOException {
        var manifest = new DatasetManifest(directory, scan, bad);
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.isBlank()) {
                manifest.add(line, ScannedFiles.Said.NOTHING);
            }
        }
        return manifest.files;
    }

    /**
     * A table; {@code name} tells which kind.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static ScannedFiles read(String name, BufferedReader lines, DatasetDirectory directory, SourceScan scan,
            BadSamples bad) throws IOException {
        var manifest = new DatasetManifest(directory, scan, bad);
        var kind = name.toLowerCase(Locale.ROOT);
        if (kind.endsWith(".jsonl")) {
            manifest.jsonLines(lines);
        } else {
            manifest.table(new DelimitedLines(lines, kind.endsWith(".tsv") ? '\t' : ','));
        }
        return manifest.files;
    }

    private void table(DelimitedLines lines) throws IOException {
        var head = lines.next();
        if (head == null || head.stream().noneMatch(column -> PATHS.contains(column.toLowerCase(Locale.ROOT)))) {
            throw new IllegalArgumentException("its first line names no column 'path'");
        }
        for (var row = lines.next(); row != null; row = lines.next()) {
            if (row.size() != head.size()) {
                throw new IllegalArgumentException("line %d has %d columns, the first %d".formatted(
                        lines.number(), row.size(), head.size()));
            }
            var values = new LinkedHashMap<String, Object>();
            for (int i = 0; i < row.size(); i++) {
                values.put(head.get(i), row.get(i));
            }
            row(values, lines.number());
        }
    }

    private void jsonLines(BufferedReader lines) throws IOException {
        long number = 0;
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            if (!line.isBlank()) {
                Map<String, Object> values;
                try {
                    values = Json.read(line.getBytes(StandardCharsets.UTF_8)).values();
                } catch (IOException wrong) {
                    throw new IllegalArgumentException("line %d is not a JSON object".formatted(number), wrong);
                }
                row(values, number);
            }
        }
    }

    private void row(Map<String, Object> values, long number) throws IOException {
        var rest = new LinkedHashMap<>(values);
        var path = taken(rest, PATHS);
        if (path.isEmpty()) {
            throw new IllegalArgumentException("line %d has no path".formatted(number));
        }
        var label = taken(rest, LABELS);
        var key = taken(rest, Set.of("key"));
        var json = rest.isEmpty() ? "" : new String(Json.line(rest), StandardCharsets.UTF_8).strip();
        add(path, new ScannedFiles.Said(key, label, json));
    }

    /** Removes and returns the first value under one of these names. */
    private static String taken(Map<String, Object> values, Set<String> names) {
        for (var name : List.copyOf(values.keySet())) {
            if (names.contains(name.toLowerCase(Locale.ROOT))) {
                Object value = values.remove(name);
                return value == null ? "" : value.toString();
            }
        }
        return "";
    }

    private void add(String path, ScannedFiles.Said said) throws IOException {
        var name = path.startsWith("./") ? path.substring(2) : path;
        DatasetDirectory.Found found;
        try {
            found = directory.find(name);
        } catch (FileNotFoundException | FileSystemException | FsException | InvalidPathException missing) {
            bad.add(path, "named, but no file");
            return;
        }
        boolean leadsOut = name.startsWith("/") || name.startsWith("../") || name.contains("/../");
        var relative = leadsOut && said.key().isEmpty()
                ? new ScannedFiles.Said(keyOf(name), said.label(), said.json()) : said;
        scan.add(files, name, found, relative, bad);
    }

    /** Without slashes and {@code ..} at the front, which would lead out of the directory it is unpacked to. */
    private static String keyOf(String path) {
        var inner = path.replaceAll("(^|/)(\\.\\./)+", "$1").replaceAll("^/+", "");
        int dot = inner.indexOf('.', inner.lastIndexOf('/') + 1);
        return inner.substring(0, dot < 0 ? inner.length() : dot);
    }

    /** Lines of values with a separator, quoted where they need it. */
    static final class DelimitedLines {
        private final BufferedReader lines;
        private final char separator;
        private long number;

        DelimitedLines(BufferedReader lines, char separator) {
            this.lines = lines;
            this.separator = separator;
        }

        long number() {
            return number;
        }

        /** The next line that is not blank; null at the end. */
        @Nullable List<String> next() throws IOException {
            var line = lines.readLine();
            number++;
            while (line != null && line.isBlank()) {
                line = lines.readLine();
                number++;
            }
            return line == null ? null : values(line);
        }

        private List<String> values(String first) throws IOException {
            var values = new ArrayList<String>();
            var value = new StringBuilder();
            boolean quoted = false;
            var line = first;
            for (int i = 0; ; i++) {
                if (i == line.length() && quoted) {
                    line = following();
                    value.append('\n');
                    i = -1;
                } else if (i == line.length()) {
                    values.add(value.toString());
                    return values;
                } else if (line.charAt(i) == '"') {
                    boolean doubled = quoted && i + 1 < line.length() && line.charAt(i + 1) == '"';
                    value.append(doubled ? "\"" : "");
                    i += doubled ? 1 : 0;
                    quoted = doubled || !quoted;
                } else if (line.charAt(i) == separator && !quoted) {
                    values.add(value.toString());
                    value.setLength(0);
                } else {
                    value.append(line.charAt(i));
                }
            }
        }

        private String following() throws IOException {
            var line = lines.readLine();
            number++;
            if (line == null) {
                throw new IllegalArgumentException("line %d: a quote is not closed".formatted(number));
            }
            return line;
        }
    }
}

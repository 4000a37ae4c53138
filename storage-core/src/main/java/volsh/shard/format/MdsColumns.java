package volsh.shard.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.json.Fields;
import volsh.json.Json;
import volsh.shard.Sample;
import volsh.shard.UnfitSampleException;

/** The columns of an MDS shard in their order. */
record MdsColumns(List<Column> columns) {
    static final String KEY = "__key__";

    /** @param encoding as MosaicML Streaming calls it; may have parameters after a colon */
    record Column(String name, MdsEncoding encoding) {}

    MdsColumns {
        columns = List.copyOf(columns);
    }

    /** The columns of a shard that begins with this sample: its fields and its key, by name. */
    static MdsColumns of(Sample sample, Map<String, String> encodings) throws UnfitSampleException {
        var columns = new ArrayList<Column>();
        columns.add(new Column(KEY, MdsEncoding.of("str", 0)));
        for (var field : sample.fields()) {
            String encoding = encodings.getOrDefault(field.name(), MdsEncoding.usual(field.name()));
            columns.add(new Column(field.name(), MdsEncoding.writable(encoding)));
        }
        columns.sort(Comparator.comparing(Column::name));
        return new MdsColumns(columns);
    }

    /** What the shard and the dataset's index say about the columns, besides other things. */
    Map<String, Object> facts() {
        var facts = new LinkedHashMap<String, Object>();
        facts.put("column_encodings", columns.stream().map(column -> column.encoding().name()).toList());
        facts.put("column_names", columns.stream().map(Column::name).toList());
        var sizes = new ArrayList<Object>();
        columns.forEach(column -> sizes.add(column.encoding().size() == 0 ? null : (long) column.encoding().size()));
        facts.put("column_sizes", sizes);
        facts.put("compression", null);
        facts.put("format", "mds");
        facts.put("hashes", List.of());
        facts.put("size_limit", null);
        facts.put("version", 2L);
        return facts;
    }

    /** The description at the beginning of a shard. */
    byte[] description() throws IOException {
        return new String(Json.line(facts()), UTF_8).strip().getBytes(UTF_8);
    }

    static MdsColumns read(byte[] description) throws IOException {
        return read(Json.read(description));
    }

    static MdsColumns read(Fields fields) throws IOException {
        if (!fields.text("format").equals("mds") || fields.number("version") != 2) {
            throw new IOException("not version 2 of MDS");
        }
        if (!(fields.values().get("column_names") instanceof List<?> names)
                || !(fields.values().get("column_encodings") instanceof List<?> encodings)
                || !(fields.values().get("column_sizes") instanceof List<?> sizes)
                || names.size() != encodings.size() || names.size() != sizes.size()) {
            throw new IOException("no names, encodings and sizes of the columns");
        }
        var columns = new ArrayList<Column>();
        for (int i = 0; i < names.size(); i++) {
            columns.add(column(names.get(i), encodings.get(i), sizes.get(i)));
        }
        return new MdsColumns(columns);
    }

    private static Column column(Object name, Object encoding, Object size) throws IOException {
        if (name instanceof String text && encoding instanceof String code
                && (size == null || size instanceof Long bytes && bytes >= 0 && bytes <= Integer.MAX_VALUE)) {
            return new Column(text, MdsEncoding.of(code, size == null ? 0 : (int) (long) (Long) size));
        }
        throw new IOException("column '%s' has no encoding or an invalid size".formatted(name));
    }

    /** How many columns have a size of their own in every sample. */
    int variable() {
        return (int) columns.stream().filter(column -> column.encoding().size() == 0).count();
    }
}

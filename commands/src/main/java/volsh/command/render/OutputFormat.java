package volsh.command.render;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** The format that {@code -o} names, and for {@code value:FIELD} the field. */
public record OutputFormat(Kind kind, String field) {
    public static final OutputFormat TABLE = new OutputFormat(Kind.TABLE, "");

    public enum Kind { TABLE, WIDE, JSON, JSONL, CSV, TSV, YAML, NAME, VALUE }

    /** Reads a format. @throws IllegalArgumentException listing the formats */
    public static OutputFormat of(String text) {
        if (text.startsWith("value:") && text.length() > 6) {
            return new OutputFormat(Kind.VALUE, text.substring(6));
        }
        for (Kind kind : Kind.values()) {
            if (kind != Kind.VALUE && kind.name().equalsIgnoreCase(text)) {
                return new OutputFormat(kind, "");
            }
        }
        throw new IllegalArgumentException("'" + text + "' is not an output format (try "
                + String.join(", ", new Names().all()) + ")");
    }

    /** Whether programs read it; errors are then JSON, too. */
    public boolean json() {
        return kind == Kind.JSON || kind == Kind.JSONL;
    }

    /** For completion. */
    public static final class Names implements Iterable<String> {
        List<String> all() {
            return List.of("table", "wide", "json", "jsonl", "csv", "tsv", "yaml", "name", "value:FIELD");
        }

        @Override
        public Iterator<String> iterator() {
            return all().iterator();
        }
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT) + (field.isEmpty() ? "" : ":" + field);
    }
}

package volsh.command.render;

import java.io.IOException;
import java.io.Writer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A line per row. Nothing is an empty field; lists and objects are JSON. */
record DelimitedRenderer(Dialect dialect) implements Renderer {
    enum Dialect {
        /** RFC 4180 with line feeds: fields with commas, quotes or line ends are quoted, quotes doubled. */
        CSV,
        /** Tabs between fields; {@code \t \n \r \\} stand for those characters. */
        TSV
    }

    @Override
    public <T> void render(Rows<T> rows, List<Column<T>> columns, View view, Writer out) throws IOException {
        if (view.headers() && !columns.isEmpty()) {
            line(columns.stream().map(Column::field).toList(), out);
        }
        for (T row : rows) {
            line(columns.stream().map(column -> field(view.safe(plain(column.machine(row))))).toList(), out);
        }
    }

    private void line(List<String> fields, Writer out) throws IOException {
        out.write(String.join(dialect == Dialect.CSV ? "," : "\t", fields));
        out.write('\n');
    }

    private String field(String text) {
        return switch (dialect) {
            case CSV -> quoted(text);
            case TSV -> text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
        };
    }

    private static String quoted(String text) {
        boolean plain = true;
        for (int i = 0; i < text.length() && plain; i++) {
            plain = ",\"\r\n".indexOf(text.charAt(i)) < 0;
        }
        return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    /** A machine value outside JSON: bare text, nothing for {@code null}. */
    static String plain(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        return value instanceof String text ? text : Json.of(value);
    }
}

package volsh.command.render;

import java.io.IOException;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/** Prints a command's result: the one place that knows every format. */
public final class Rendering {
    private Rendering() {}

    /** Prints {@code result}; {@code null} prints nothing. Closes it when it is rows. */
    public static void print(@Nullable Object result, View view, Writer out) throws IOException {
        if (result instanceof Row row && row.isPlanned()) {
            return;
        }
        if (result instanceof Text text && view.format().kind() == OutputFormat.Kind.TABLE) {
            out.write(text.text());
        } else if (result != null) {
            try (Rows<?> rows = Rows.from(result)) {
                print(rows, view, out);
            }
        }
    }

    private static <T> void print(Rows<T> rows, View view, Writer out) throws IOException {
        var kind = view.format().kind();
        if (rows.audience() == Rows.Audience.PROGRAMS
                && (kind == OutputFormat.Kind.TABLE || kind == OutputFormat.Kind.WIDE)) {
            return;
        }
        var columns = view.select(rows.columns());
        var shown = kind == OutputFormat.Kind.TABLE ? rows.brief() : rows;
        renderer(view.format(), rows.single()).render(sorted(shown, view), columns, view, out);
    }

    private static <T> Rows<T> sorted(Rows<T> rows, View view) {
        if (view.sort().isEmpty() || rows.columns().all().isEmpty()) {
            return rows;
        }
        return rows.sorted(rows.columns().named(view.sortColumn()), view.descending());
    }

    private static Renderer renderer(OutputFormat format, boolean single) {
        return switch (format.kind()) {
            case TABLE, WIDE -> single ? new KeyValueRenderer() : new TableRenderer();
            case JSON -> new JsonRenderer();
            case JSONL -> new JsonLinesRenderer();
            case CSV -> new DelimitedRenderer(DelimitedRenderer.Dialect.CSV);
            case TSV -> new DelimitedRenderer(DelimitedRenderer.Dialect.TSV);
            case YAML -> new YamlRenderer();
            case NAME -> new ValueRenderer("");
            case VALUE -> new ValueRenderer(format.field());
        };
    }
}

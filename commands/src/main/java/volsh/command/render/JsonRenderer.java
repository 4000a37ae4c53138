package volsh.command.render;

import java.io.IOException;
import java.io.Writer;
import java.util.List;

/** One array with an object per line, written as the rows come; a single record is one object with a field per line. */
final class JsonRenderer implements Renderer {
    @Override
    public <T> void render(Rows<T> rows, List<Column<T>> columns, View view, Writer out) throws IOException {
        if (rows.single()) {
            object(rows.iterator().next(), columns, ",\n  ", "{\n  ", "\n}\n", view, out);
            return;
        }
        String separator = "[\n";
        try {
            for (T row : rows) {
                out.write(separator);
                object(row, columns, ", ", "  {", "}", view, out);
                separator = ",\n";
            }
        } catch (RuntimeException failed) {   // the output so far is complete JSON
            out.write(separator.equals("[\n") ? "" : "\n]\n");
            throw failed;
        }
        out.write(separator.equals("[\n") ? "[]\n" : "\n]\n");
    }

    static <T> void object(T row, List<Column<T>> columns, String separator, String open, String close, View view,
            Writer out) throws IOException {
        var object = new StringBuilder(open);
        for (int i = 0; i < columns.size(); i++) {
            object.append(i == 0 ? "" : separator);
            Json.string(columns.get(i).field(), object);
            object.append(": ");
            Json.write(columns.get(i).machine(row), object);
        }
        // in one piece: a writer is slow character by character
        out.append(JsonColours.of(object.append(close), view.colour()));
    }
}

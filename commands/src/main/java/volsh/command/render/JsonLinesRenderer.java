package volsh.command.render;

import java.io.IOException;
import java.io.Writer;
import java.util.List;

/** One object per line, written as the rows come. */
final class JsonLinesRenderer implements Renderer {
    @Override
    public <T> void render(Rows<T> rows, List<Column<T>> columns, View view, Writer out) throws IOException {
        for (T row : rows) {
            JsonRenderer.object(row, columns, ", ", "{", "}\n", view, out);
        }
    }
}

package volsh.command.render;

import java.io.IOException;
import java.io.Writer;
import java.util.List;

/** Prints rows in one format. Every line ends with a line feed. */
interface Renderer {
    <T> void render(Rows<T> rows, List<Column<T>> columns, View view, Writer out) throws IOException;
}

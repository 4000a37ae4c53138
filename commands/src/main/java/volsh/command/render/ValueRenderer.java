package volsh.command.render;

import java.io.IOException;
import java.io.Writer;
import java.util.List;

/** One value per line: the named field, or without a name the first column, which is what a row is called. */
record ValueRenderer(String field) implements Renderer {
    @Override
    public <T> void render(Rows<T> rows, List<Column<T>> columns, View view, Writer out) throws IOException {
        List<Column<T>> all = rows.columns().all();
        if (all.isEmpty()) {
            return;
        }
        Column<T> column = field.isEmpty() ? all.getFirst() : rows.columns().named(field);
        for (T row : rows) {
            out.write(view.safe(DelimitedRenderer.plain(column.machine(row))));
            out.write('\n');
        }
    }
}

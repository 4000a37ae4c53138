package volsh.command.render;

import java.io.IOException;
import java.io.Writer;
import java.util.List;

/** One record as lines of {@code key  value}; a record of one unnamed value is only that value. */
final class KeyValueRenderer implements Renderer {
    @Override
    public <T> void render(Rows<T> rows, List<Column<T>> columns, View view, Writer out) throws IOException {
        T row = rows.iterator().next();
        boolean bare = !view.headers() || columns.size() == 1 && columns.getFirst().name().equals("value");
        int widest = 0;
        for (var column : columns) {
            widest = Math.max(widest, column.heading().length());
        }
        for (var column : columns) {
            out.write(bare ? "" : heading(column, widest, view));
            out.write(Printable.of(column.human(row, view.zone())) + "\n");
        }
    }

    private static String heading(Column<?> column, int widest, View view) {
        String name = column.heading().toLowerCase(java.util.Locale.ROOT);
        return Style.BOLD.on(name, view.colour()) + " ".repeat(widest - name.length() + 2);
    }
}

package volsh.command.render;

import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Aligned columns two spaces apart, numbers to the right. Rows are held a page at a time, so a listing of millions
 * starts at once and needs no more memory. {@link TableLayout} fits the table to the screen; columns that it hides are
 * named below the table. States are coloured, and cells whose column has a style.
 */
final class TableRenderer implements Renderer {
    private static final int PAGE = 1000;
    private static final int LEAST_NOTE = 20;
    private static final Set<String> STATES = Set.of("state", "health", "level");
    private static final Set<String> GOOD = Set.of("ok", "valid", "done", "running", "live");
    private static final Set<String> BAD = Set.of("unavailable", "damaged", "fenced", "refused", "locked", "dead",
            "error", "failed", "lost");

    @Override
    public <T> void render(Rows<T> rows, List<Column<T>> columns, View view, Writer out) throws IOException {
        if (columns.isEmpty()) {
            return;
        }
        boolean mayHide = view.format().kind() == OutputFormat.Kind.TABLE && view.columns().isEmpty();
        var layout = new TableLayout(columns, mayHide);
        boolean lines = rows.audience() == Rows.Audience.LINES && view.format().kind() == OutputFormat.Kind.TABLE;
        boolean headers = view.headers() && !lines;
        boolean first = true;
        Iterator<T> left = rows.iterator();
        do {
            var page = new ArrayList<Line>();
            var failed = fill(page, left, columns, view);
            if (failed != null && page.isEmpty()) {
                throw failed;
            }
            layout.fit(page.stream().map(Line::cells).toList(), first, headers, view.width());
            if (first && headers) {
                line(new Line(headings(columns), headingStyles(columns.size())), columns, layout, view, out);
            }
            first = false;
            for (var row : page) {
                line(row, columns, layout, view, out);
                commands(row, columns, layout, view, out);
            }
            out.flush();
            if (failed != null) {
                throw failed;
            }
        } while (left.hasNext());
        if (headers && !layout.hidden().isEmpty()) {
            for (String line : wrapped("not shown: %s; -o wide shows all".formatted(
                    String.join(", ", layout.hidden())), Math.max(LEAST_NOTE, view.width()))) {
                out.write(Style.DIM.on(line, view.colour()) + "\n");
            }
        }
    }

    /** Lines that are broken between words. */
    private static List<String> wrapped(String text, int width) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    /**
     * Takes the next rows; returns what kept it from going on, null if nothing did: the rows before are shown
     * nevertheless.
     */
    private static <T> @Nullable RuntimeException fill(List<Line> page, Iterator<T> rows, List<Column<T>> columns,
            View view) {
        try {
            while (rows.hasNext() && page.size() < PAGE) {
                T row = rows.next();
                var cells = new String[columns.size()];
                var styles = new Style[columns.size()];
                for (int i = 0; i < cells.length; i++) {
                    cells[i] = Printable.of(columns.get(i).human(row, view.zone()));
                    styles[i] = view.colour() ? columns.get(i).styled(row) : Style.PLAIN;
                }
                page.add(new Line(cells, styles));
            }
            return null;
        } catch (RuntimeException failed) {
            return failed;
        }
    }

    /** The cells of a row and their styles. */
    private record Line(String[] cells, Style[] styles) {}

    private static Style[] headingStyles(int count) {
        var styles = new Style[count];
        Arrays.fill(styles, Style.BOLD);
        return styles;
    }

    private static <T> String[] headings(List<Column<T>> columns) {
        var headings = new String[columns.size()];
        Arrays.setAll(headings, i -> columns.get(i).heading());
        return headings;
    }

    private static <T> void line(Line row, List<Column<T>> columns, TableLayout layout, View view, Writer out)
            throws IOException {
        int[] shown = layout.shown();
        for (int i : shown) {
            String cell = layout.cut(row.cells()[i], i, view.ellipsis());
            String padding = " ".repeat(Math.max(0, layout.width(i) - DisplayWidth.of(cell)));
            boolean right = columns.get(i).form().right();
            out.write(i == shown[0] ? "" : TableLayout.GAP);
            out.write(right ? padding : "");
            out.write(row.styles()[i] == Style.PLAIN ? coloured(cell, columns.get(i), view)
                    : row.styles()[i].on(cell, view.colour()));
            out.write(right || i == shown[shown.length - 1] ? "" : padding);
        }
        out.write('\n');
    }

    /** Commands for which the table has no room: they must not be cut. */
    private static <T> void commands(Line row, List<Column<T>> columns, TableLayout layout, View view, Writer out)
            throws IOException {
        for (int i : layout.below()) {
            if (!row.cells()[i].equals(Human.NOTHING)) {
                out.write("%s%s %s\n".formatted(TableLayout.GAP, Style.DIM.on(columns.get(i).name() + ":",
                        view.colour()), row.cells()[i]));
            }
        }
    }

    private static String coloured(String cell, Column<?> column, View view) {
        if (!view.colour() || !STATES.contains(column.name()) || cell.equals("-") || cell.equals("info")) {
            return cell;
        }
        var style = GOOD.contains(cell) ? Style.GREEN : BAD.contains(cell) ? Style.RED : Style.YELLOW;
        return style.on(cell, true);
    }
}

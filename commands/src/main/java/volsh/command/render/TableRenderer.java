package volsh.command.render;

import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * Aligned columns two spaces apart, numbers to the right. Rows are held a page at a time, so a listing of millions
 * starts at once and needs no more memory; later pages may make columns wider, never narrower. A table too wide for the
 * screen loses the middle of its widest texts, never digits.
 */
final class TableRenderer implements Renderer {
    private static final int PAGE = 1000;
    private static final int LEAST_TEXT = 6;
    private static final String GAP = "  ";

    @Override
    public <T> void render(Rows<T> rows, List<Column<T>> columns, View view, Writer out) throws IOException {
        if (columns.isEmpty()) {
            return;
        }
        var widths = new int[columns.size()];
        boolean lines = rows.audience() == Rows.Audience.LINES && view.format().kind() == OutputFormat.Kind.TABLE;
        boolean headers = view.headers() && !lines;
        Iterator<T> left = rows.iterator();
        do {
            var page = new ArrayList<String[]>();
            var failed = fill(page, left, columns, view);
            if (failed != null && page.isEmpty()) {
                throw failed;
            }
            fit(page, headers ? columns : List.of(), columns, view.width(), widths);
            if (headers) {
                line(headings(columns), columns, widths, view, true, out);
                headers = false;
            }
            for (String[] cells : page) {
                line(cells, columns, widths, view, false, out);
            }
            out.flush();
            if (failed != null) {
                throw failed;
            }
        } while (left.hasNext());
    }

    /** Takes the next rows; returns what kept it from going on, null if nothing did: the rows before are shown nevertheless. */
    private static <T> RuntimeException fill(List<String[]> page, Iterator<T> rows, List<Column<T>> columns, View view) {
        try {
            while (rows.hasNext() && page.size() < PAGE) {
                T row = rows.next();
                var cells = new String[columns.size()];
                for (int i = 0; i < cells.length; i++) {
                    cells[i] = Printable.of(columns.get(i).human(row, view.zone()));
                }
                page.add(cells);
            }
            return null;
        } catch (RuntimeException failed) {
            return failed;
        }
    }

    private static <T> String[] headings(List<Column<T>> columns) {
        var headings = new String[columns.size()];
        Arrays.setAll(headings, i -> columns.get(i).heading());
        return headings;
    }

    /** Makes each column as wide as its widest cell, then takes from the widest text column until the line fits. */
    private static <T> void fit(List<String[]> page, List<Column<T>> headings, List<Column<T>> columns, int width,
            int[] widths) {
        for (int i = 0; i < headings.size(); i++) {
            widths[i] = headings.get(i).heading().length();
        }
        for (String[] cells : page) {
            for (int i = 0; i < cells.length; i++) {
                widths[i] = Math.max(widths[i], DisplayWidth.of(cells[i]));
            }
        }
        long excess = Arrays.stream(widths).asLongStream().sum() + (long) GAP.length() * (widths.length - 1) - width;
        int widest = widestText(columns, widths);
        while (excess-- > 0 && widest >= 0) {
            widths[widest]--;
            widest = widestText(columns, widths);
        }
    }

    private static <T> int widestText(List<Column<T>> columns, int[] widths) {
        int widest = -1;
        for (int i = 0; i < widths.length; i++) {
            Form form = columns.get(i).form();
            if (form == Form.TEXT && widths[i] > LEAST_TEXT && (widest < 0 || widths[i] > widths[widest])) {
                widest = i;
            }
        }
        return widest;
    }

    private static <T> void line(String[] cells, List<Column<T>> columns, int[] widths, View view, boolean heading,
            Writer out) throws IOException {
        for (int i = 0; i < cells.length; i++) {
            boolean text = columns.get(i).form() == Form.TEXT;
            String cell = text ? DisplayWidth.elide(cells[i], widths[i], view.ellipsis()) : cells[i];
            String padding = " ".repeat(Math.max(0, widths[i] - DisplayWidth.of(cell)));
            boolean right = columns.get(i).form().right();
            out.write(i == 0 ? "" : GAP);
            out.write(right ? padding : "");
            out.write(Style.BOLD.on(cell, heading && view.colour()));
            out.write(right || i == cells.length - 1 ? "" : padding);
        }
        out.write('\n');
    }
}

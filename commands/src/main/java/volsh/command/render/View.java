package volsh.command.render;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The requested format of a result.
 *
 * @param columns  names to show, in this order; empty for the default ones
 * @param sort     a column, with {@code -} before it for descending; empty to keep the order
 * @param zone     the user's time zone; asked only when there is a time to show, because asking takes long
 * @param width    cells that a table may take; {@link Integer#MAX_VALUE} without a screen
 * @param terminal whether a terminal shows it, so that line formats escape control characters too
 * @param colour   whether headings may be styled
 * @param unicode  whether the terminal's locale shows more than ASCII
 */
public record View(OutputFormat format, List<String> columns, String sort, boolean headers, Supplier<ZoneId> zone,
                   int width, boolean terminal, boolean colour, boolean unicode) {
    public View {
        columns = List.copyOf(columns);
    }

    /** @throws IllegalArgumentException if a column is named that is not among these */
    public void requireAmong(Columns<?> all) {
        if (all.all().isEmpty()) {
            return;
        }
        columns.forEach(all::named);
        if (!sort.isEmpty()) {
            all.named(sortColumn());
        }
        if (!format.field().isEmpty()) {
            all.named(format.field());
        }
    }

    boolean descending() {
        return sort.startsWith("-");
    }

    String sortColumn() {
        return descending() ? sort.substring(1) : sort;
    }

    <T> List<Column<T>> select(Columns<T> all) {
        var selected = new ArrayList<Column<T>>();
        for (String name : columns) {
            selected.add(all.named(name));
        }
        boolean everything = format.kind() != OutputFormat.Kind.TABLE;
        for (var column : columns.isEmpty() ? all.all() : List.<Column<T>>of()) {
            if (everything || !column.wide()) {
                selected.add(column);
            }
        }
        return selected;
    }

    String ellipsis() {
        return unicode ? "…" : "...";
    }

    String safe(String text) {
        return terminal ? Printable.of(text) : text;
    }
}

package volsh.command.render;

import java.math.BigDecimal;
import java.util.Comparator;

/**
 * Orders rows by one column: numbers by size, everything else by its machine text, {@code null} last in both
 * directions.
 */
record ByValue<T>(Column<T> column, boolean descending) implements Comparator<T> {
    @Override
    public int compare(T left, T right) {
        Object a = column.machine(left);
        Object b = column.machine(right);
        if (a == null || b == null) {
            return Boolean.compare(a == null, b == null);
        }
        int order = a instanceof Number x && b instanceof Number y
                ? new BigDecimal(x.toString()).compareTo(new BigDecimal(y.toString()))
                : a.toString().compareTo(b.toString());
        return descending ? -order : order;
    }
}

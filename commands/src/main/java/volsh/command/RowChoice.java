package volsh.command;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Option;
import volsh.command.pipe.RowCondition;
import volsh.command.render.Row;
import volsh.command.render.Rows;

/** Which rows of a listing are wanted: its options {@code --where} and, where rows have labels, {@code -l}. */
public final class RowChoice {
    private final Where where = new Where();
    private final ByLabel byLabel = new ByLabel();

    /** The option of every listing. */
    static final class Where {
        @Option(names = {"-w", "--where"}, paramLabel = "CONDITION",
                description = "List only rows that fit, such as 'used > 1GiB and name like train%%'; see volsh help"
                        + " pipes.")
        private List<RowCondition> conditions = new ArrayList<>();
    }

    /** The option of listings whose rows have labels. */
    static final class ByLabel {
        @Option(names = {"-l", "--label"}, paramLabel = "KEY=VALUE", split = ",",
                description = "List only rows with this label; KEY!=VALUE: without, KEY: with any value. May be"
                        + " repeated.")
        private List<String> labels = new ArrayList<>();
    }

    /** The objects whose options a listing has besides its own. */
    public List<Object> options(Listing listing) {
        return listing.labelled() ? List.of(where, byLabel) : List.of(where);
    }

    public boolean isEmpty() {
        return where.conditions.isEmpty() && byLabel.labels.isEmpty();
    }

    /** The columns that are asked for. */
    public Set<String> columns() {
        var columns = new LinkedHashSet<String>();
        where.conditions.forEach(condition -> columns.addAll(condition.columns()));
        if (!byLabel.labels.isEmpty()) {
            columns.add("labels");
        }
        return columns;
    }

    /** Those of the rows that are wanted. */
    public <T> Rows<T> of(Rows<T> rows) {
        return of(rows, UnaryOperator.identity());
    }

    /** As {@link #of(Rows)}; {@code closer}: a row that finds further columns. */
    public <T> Rows<T> of(Rows<T> rows, UnaryOperator<Row> closer) {
        if (isEmpty()) {
            return rows;
        }
        Predicate<Object> all = row -> true;
        for (RowCondition condition : where.conditions) {
            all = all.and(condition.test());
        }
        for (String label : byLabel.labels) {
            all = all.and(row -> fits(label, ((Row) row).get("labels") instanceof Map<?, ?> labels ? labels : Map.of()));
        }
        return rows.where(all, closer);
    }

    private static boolean fits(String label, Map<?, ?> labels) {
        int equals = label.indexOf('=');
        if (equals < 0) {
            return labels.containsKey(label);
        }
        boolean unequal = equals > 0 && label.charAt(equals - 1) == '!';
        Object value = labels.get(label.substring(0, unequal ? equals - 1 : equals));
        String wanted = label.substring(equals + 1).replaceFirst("^=", "");
        return wanted.equals(String.valueOf(value)) != unequal;
    }
}

package volsh.command.render;

import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import volsh.unit.Span;

/**
 * A row as scripts and pipes see it: an immutable map from the names of its columns to values that can be compared and
 * computed with. An unknown name fails, so that a typo is not read as null. Columns that the row lacks can be loaded
 * {@linkplain #lookingInto from elsewhere} on access.
 */
public class Row extends AbstractMap<String, Object> {
    private final Columns<Row> columns;
    private final Map<String, Object> values;
    private final Supplier<Row> closer;
    private final boolean planned;

    private Row(Columns<Row> columns, Map<String, Object> values, Supplier<Row> closer) {
        this(columns, values, closer, false);
    }

    private Row(Columns<Row> columns, Map<String, Object> values, Supplier<Row> closer, boolean planned) {
        this.columns = columns;
        this.values = values;
        this.closer = closer;
        this.planned = planned;
    }

    /** The same row under a more special type. */
    protected Row(Row other) {
        this(other.columns, other.values, other.closer, other.planned);
    }

    /** A row of these values; what kind of quantity each is, the value says. */
    public static Row of(Map<String, ?> values) {
        var columns = new ArrayList<Column<Row>>();
        var typed = new LinkedHashMap<String, Object>();
        values.forEach((name, value) -> {
            Object cell = typed(value);
            typed.put(name, cell);
            Form form = cell == null ? Form.TEXT : Form.of(cell.getClass(), name);
            columns.add(new Column<>(name, form, row -> row.values.get(name), false));
        });
        return new Row(Columns.just(columns), typed, null);
    }

    /** What a command returned, as a program wants it: a row, a list of rows, a text, or the value itself. */
    public static Object value(Object result) {
        if (result instanceof Text text) {
            return text.text();
        }
        boolean rows = result instanceof Rows<?> || result instanceof Record row && Columns.isPlain(row)
                || result instanceof Iterable<?> && !(result instanceof Path);
        if (!rows) {
            return result;
        }
        try (Rows<?> all = Rows.from(result)) {
            List<?> list = all(all);
            return all.single() ? list.getFirst() : list;
        }
    }

    private static <T> List<?> all(Rows<T> rows) {
        Columns<T> from = rows.columns();
        boolean scalars = from.all().size() == 1 && from.all().getFirst().name().equals("value");
        Function<T, Row> reader = reader(from);
        var list = new ArrayList<Object>();
        for (T item : rows) {
            list.add(scalars ? item : reader.apply(item));
        }
        return list;
    }

    /** Makes rows of items that have these columns. */
    static <T> Function<T, Row> reader(Columns<T> from) {
        Columns<Row> columns = from.over(column -> row -> row.values.get(column.name()));
        return item -> item instanceof Row row ? row : of(columns, from, item);
    }

    private static <T> Row of(Columns<Row> columns, Columns<T> from, T item) {
        var values = new LinkedHashMap<String, Object>();
        for (var column : from.all()) {
            values.put(column.name(), typed(column.form().quantity(column.value().apply(item))));
        }
        return new Row(columns, values, null);
    }

    /** Without wrappers, constants as the words users know, records as rows. */
    private static Object typed(Object value) {
        return switch (value) {
            case null -> null;
            case Unknown unknown -> null;
            case Optional<?> optional -> typed(optional.orElse(null));
            case OptionalLong optional -> optional.isPresent() ? optional.getAsLong() : null;
            case Enum<?> constant -> Machine.of(constant);
            case Duration duration when !duration.isNegative() -> new Span(duration);
            case Record row when Columns.isPlain(row) -> value(row);
            case List<?> list -> list.stream().map(Row::typed).toList();
            default -> value;
        };
    }

    /** The same row for an object that does not exist, because this is a dry run: its plan was shown instead. */
    public Row planned() {
        return new Row(columns, values, closer, true);
    }

    boolean isPlanned() {
        return planned;
    }

    /** The same row; a name it lacks is looked up in what {@code closer} gives, each time it is asked for. */
    public Row lookingInto(Supplier<Row> closer) {
        return new Row(columns, values, closer, planned);
    }

    /** The value under a column's name, or the exact number under its name in machine formats ({@code usedBytes}). */
    @Override
    public Object get(Object name) {
        if (values.containsKey(name)) {
            return values.get(name);
        }
        Optional<Column<Row>> column = find(String.valueOf(name));
        if (column.isPresent()) {
            return column.get().named(String.valueOf(name)) && !column.get().field().equals(column.get().name())
                    && String.valueOf(name).equalsIgnoreCase(column.get().field())
                    ? column.get().machine(this) : values.get(column.get().name());
        }
        if (closer == null) {
            throw UnknownColumn.of(name, columns.names());
        }
        return closer.get().get(name);
    }

    private Optional<Column<Row>> find(String name) {
        return columns.all().stream().filter(column -> column.named(name)).findFirst();
    }

    /** Whether it has this column itself, under any of its names. */
    public boolean has(String name) {
        return values.containsKey(name) || find(name).isPresent();
    }

    /** These columns alone, in this order; {@code reader} gives what is in a column that it lacks. */
    public Row select(List<String> names, Function<String, Object> reader) {
        var chosen = new ArrayList<Column<Row>>();
        var cells = new LinkedHashMap<String, Object>();
        for (String name : names) {
            Optional<Column<Row>> own = find(name);
            Object value = own.isPresent() ? values.get(own.get().name()) : reader.apply(name);
            String shown = own.map(Column::name).orElse(name);
            cells.put(shown, value);
            chosen.add(column(shown, own.map(Column::form).orElse(form(value, name))));
        }
        return new Row(Columns.just(chosen), cells, null);
    }

    /** These columns alone, in this order. */
    public Row select(List<String> names) {
        return select(names, this::get);
    }

    private static Form form(Object value, String name) {
        return value == null ? Form.TEXT : Form.of(value.getClass(), name);
    }

    private static Column<Row> column(String name, Form form) {
        return new Column<>(name, form, row -> row.values.get(name), false);
    }

    /** All but these columns. @throws IllegalArgumentException if there is none of such a name */
    public Row without(List<String> names) {
        var left = new ArrayList<>(values.keySet());
        names.forEach(name -> left.remove(columns.named(name).name()));
        return select(left, values::get);
    }

    /** The same values; columns have the names to which the map leads. */
    public Row renamed(Map<String, String> names) {
        var meant = new LinkedHashMap<String, String>();
        names.forEach((old, name) -> meant.put(columns.named(old).name(), name));
        var chosen = new ArrayList<Column<Row>>();
        var cells = new LinkedHashMap<String, Object>();
        for (var column : columns.all()) {
            String name = meant.getOrDefault(column.name(), column.name());
            cells.put(name, values.get(column.name()));
            chosen.add(column(name, column.form()));
        }
        return new Row(Columns.just(chosen), cells, closer);
    }

    /** The same with this value in this column. */
    public Row with(String name, Object value) {
        Object cell = typed(value);
        String shown = find(name).map(Column::name).orElse(name);
        var cells = new LinkedHashMap<>(values);
        cells.put(shown, cell);
        var all = new ArrayList<Column<Row>>(columns.all());
        all.removeIf(column -> column.name().equals(shown));
        all.add(Math.min(List.copyOf(cells.keySet()).indexOf(shown), all.size()), column(shown, form(cell, shown)));
        return new Row(Columns.just(all), cells, closer);
    }

    /** The same with an empty column for each of these names that it lacks, in their order. */
    public Row padded(Set<String> names) {
        var cells = new LinkedHashMap<String, Object>();
        var all = new ArrayList<Column<Row>>();
        for (String name : names) {
            cells.put(name, values.get(name));
            all.add(columns.all().stream().filter(column -> column.name().equals(name)).findFirst()
                    .orElse(column(name, Form.TEXT)));
        }
        return new Row(Columns.just(all), cells, closer);
    }

    /** What tells it from others: its first column. */
    public String name() {
        return values.isEmpty() ? "" : String.valueOf(values.values().iterator().next());
    }

    Columns<Row> columns() {
        return columns;
    }

    @Override
    public boolean containsKey(Object name) {
        return values.containsKey(name);
    }

    @Override
    public Set<Map.Entry<String, Object>> entrySet() {
        return java.util.Collections.unmodifiableMap(values).entrySet();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Row row && row.values.equals(values);
    }

    @Override
    public int hashCode() {
        return Objects.hash(values);
    }
}

package volsh.command.render;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Function;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * The columns of a row, declared once for all formats. Immutable: each method returns new columns.
 * <pre>{@code
 * Columns.of(VolumeRow.class)
 *         .text("name", VolumeRow::name)       // the first column is what -o name prints
 *         .bytes("used", VolumeRow::used)      // USED 3.1GiB for people, "usedBytes": 3328599654 for programs
 *         .text("store", VolumeRow::store).wide()
 * }</pre>
 */
public final class Columns<T> {
    /** No columns, for results that are not rows. */
    public static final Columns<?> NONE = of(Object.class);

    private final List<Column<T>> all;

    private Columns(List<Column<T>> all) {
        this.all = all;
    }

    /** No columns yet; the class only names the type of the rows. */
    public static <T> Columns<T> of(Class<T> type) {
        return new Columns<>(List.of());
    }

    /** Anything that reads well as text: names, enums, paths, lists, flags. */
    public Columns<T> text(String name, Function<? super T, ?> value) {
        return with(name, Form.TEXT, value);
    }

    /** A count, ratio or percentage. */
    public Columns<T> number(String name, Function<? super T, ?> value) {
        return with(name, Form.NUMBER, value);
    }

    /** A number of bytes, as a {@link ByteSize} or a number. */
    public Columns<T> bytes(String name, Function<? super T, ?> value) {
        return with(name, Form.BYTES, value);
    }

    /** Bytes per second, as a {@link Rate} or a number. */
    public Columns<T> rate(String name, Function<? super T, ?> value) {
        return with(name, Form.RATE, value);
    }

    /** A duration. */
    public Columns<T> span(String name, Function<? super T, ?> value) {
        return with(name, Form.SPAN, value);
    }

    /** An instant: local time for people, UTC for programs. */
    public Columns<T> time(String name, Function<? super T, ?> value) {
        return with(name, Form.TIME, value);
    }

    /** A command to paste: never cut, and on a line of its own where the table is too narrow for it. */
    public Columns<T> command(String name, Function<? super T, ?> value) {
        return with(name, Form.COMMAND, value);
    }

    /** Hides the last column in plain tables. */
    public Columns<T> wide() {
        var columns = new ArrayList<>(all);
        Column<T> last = columns.removeLast();
        columns.add(new Column<>(last.name(), last.form(), last.value(), true, last.style()));
        return new Columns<>(List.copyOf(columns));
    }

    /** Gives the cells of the last column a style in tables. */
    public Columns<T> styled(Function<? super T, Style> style) {
        var columns = new ArrayList<>(all);
        Column<T> last = columns.removeLast();
        columns.add(new Column<>(last.name(), last.form(), last.value(), last.wide(), style));
        return new Columns<>(List.copyOf(columns));
    }

    /** These columns; those of {@code others} that are missing can be named and sorted by, but are not shown. */
    public Columns<T> knowing(Columns<T> others) {
        var columns = new ArrayList<>(all);
        for (var other : others.all) {
            if (all.stream().noneMatch(column -> column.name().equals(other.name()))) {
                columns.add(new Column<>(other.name(), other.form(), other.value(), true));
            }
        }
        return new Columns<>(List.copyOf(columns));
    }

    private Columns<T> with(String name, Form form, Function<? super T, ?> value) {
        var columns = new ArrayList<>(all);
        columns.add(new Column<>(name, form, value, false));
        return new Columns<>(List.copyOf(columns));
    }

    List<Column<T>> all() {
        return all;
    }

    /** Columns that read the same facts from rows of another type. */
    <S> Columns<S> over(Function<Column<T>, Function<? super S, ?>> reader) {
        var columns = new ArrayList<Column<S>>();
        for (var column : all) {
            columns.add(new Column<>(column.name(), column.form(), reader.apply(column), column.wide()));
        }
        return new Columns<>(List.copyOf(columns));
    }

    /** These columns alone, in this order. */
    static <T> Columns<T> just(List<Column<T>> columns) {
        return new Columns<>(List.copyOf(columns));
    }

    /** The names of the columns, in their order. */
    public List<String> titles() {
        return all.stream().map(Column::name).toList();
    }

    /** Whether a column is called so. */
    public boolean has(String name) {
        return all.stream().anyMatch(column -> column.named(name));
    }

    /** @throws IllegalArgumentException naming similar columns, if none is called so */
    public void require(String name) {
        var _ = named(name);
    }

    /** The names a user may give to {@code --columns} and {@code --sort}. */
    String names() {
        var names = new StringJoiner(", ");
        all.forEach(column -> names.add(column.name()));
        return names.toString();
    }

    Column<T> named(String name) {
        for (var column : all) {
            if (column.named(name)) {
                return column;
            }
        }
        throw UnknownColumn.of(name, names());
    }

    /**
     * The columns of a record whose components say it all: a {@code long usedBytes} or {@code ByteSize used} is a size.
     */
    public static <T extends Record> Columns<T> derived(Class<? extends T> type) {
        var columns = new ArrayList<Column<T>>();
        for (var component : type.getRecordComponents()) {
            Form form = Form.of(held(component), component.getName());
            String name = component.getName();
            String field = form.field("");
            String shown = !field.isEmpty() && name.endsWith(field) && name.length() > field.length()
                    ? name.substring(0, name.length() - field.length()) : name;
            columns.add(new Column<>(shown, form, row -> read(component, row), false));
        }
        return new Columns<>(List.copyOf(columns));
    }

    /** What a component holds: of an {@code Optional<ByteSize>}, a size. */
    private static Class<?> held(RecordComponent component) {
        return component.getGenericType() instanceof ParameterizedType type && type.getRawType() == Optional.class
                && type.getActualTypeArguments()[0] instanceof Class<?> inner ? inner : component.getType();
    }

    static Columns<Map<?, ?>> keys(Map<?, ?> map) {
        var columns = new ArrayList<Column<Map<?, ?>>>();
        for (Object key : map.keySet()) {
            Object value = map.get(key);
            Form form = value == null ? Form.TEXT : Form.of(value.getClass(), String.valueOf(key));
            columns.add(new Column<>(String.valueOf(key), form, row -> row.get(key), false));
        }
        return new Columns<>(List.copyOf(columns));
    }

    /** Whether a record is a bundle of fields rather than a quantity with a text of its own. */
    static boolean isPlain(Record row) {
        return !(row instanceof ByteSize || row instanceof Rate || row instanceof Span || row instanceof Percent);
    }

    private static Object read(RecordComponent component, Record row) {
        try {
            var accessor = component.getAccessor();
            accessor.setAccessible(true);
            return accessor.invoke(row);
        } catch (ReflectiveOperationException broken) {
            throw new IllegalStateException("cannot read " + component.getName(), broken);
        }
    }
}

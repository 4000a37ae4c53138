package volsh.command.render;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A result with declared columns: many rows, possibly computed lazily while they are printed, or exactly one record.
 * Close it: a lazy source may hold resources. A lazy source can be iterated once.
 */
public final class Rows<T> implements Iterable<T>, AutoCloseable {
    private final Columns<T> columns;
    private final Iterable<? extends T> source;
    private final boolean single;
    private final Runnable onClose;
    private final Audience audience;
    /** What a table shows instead, if that is less. */
    private @Nullable Rows<T> brief;

    /** What tables show: rows with headings, rows alone, or nothing because the person knows already. */
    enum Audience { ALL, LINES, PROGRAMS }

    private Rows(Columns<T> columns, Iterable<? extends T> source, boolean single, Runnable onClose) {
        this(columns, source, single, onClose, Audience.ALL);
    }

    private Rows(Columns<T> columns, Iterable<? extends T> source, boolean single, Runnable onClose,
            Audience audience) {
        this.columns = columns;
        this.source = source;
        this.single = single;
        this.onClose = onClose;
        this.audience = audience;
    }

    public static <T> Rows<T> of(Columns<T> columns, Collection<? extends T> rows) {
        return new Rows<>(columns, rows, false, () -> {});
    }

    /** Rows that come while they are printed: {@code jsonl csv tsv name value} never hold more than one of them. */
    public static <T> Rows<T> lazy(Columns<T> columns, Stream<T> rows) {
        return new Rows<>(columns, rows::iterator, false, rows::close);
    }

    /** One record: lines of {@code key value} in a table, one object in JSON. */
    public static <T> Rows<T> one(Columns<T> columns, T row) {
        return new Rows<>(columns, List.of(row), true, () -> {});
    }

    /** The same rows as plain lines: the usual table of them has no headings. */
    public Rows<T> bare() {
        return new Rows<>(columns, source, single, onClose, Audience.LINES);
    }

    /** The same rows, which a message has reported: tables omit them, programs get them. */
    public Rows<T> told() {
        return new Rows<>(columns, source, single, onClose, Audience.PROGRAMS);
    }

    /** The same rows, of which a table shows only those that matter; programs, pipes and wide tables get all. */
    public Rows<T> briefly(Collection<? extends T> matters) {
        var all = new Rows<>(columns, source, single, onClose, audience);
        all.brief = of(columns, matters);
        return all;
    }

    /** What the usual table shows. */
    Rows<T> brief() {
        return brief == null ? this : brief;
    }

    /**
     * The same rows; also passes them to {@code learn} for later use: at once if they are in memory, else after they
     * were iterated, unless there are more than {@code most}.
     */
    public Rows<T> kept(int most, java.util.function.Consumer<Rows<T>> learn) {
        if (source instanceof Collection<? extends T> all) {
            if (all.size() <= most) {
                learn.accept(this);
            }
            return this;
        }
        Iterable<T> noting = () -> new Noting<>(source.iterator(), most,
                seen -> learn.accept(new Rows<>(columns, seen, single, () -> {}, audience)));
        return new Rows<>(columns, noting, single, onClose, audience);
    }

    /** The {@code wanted} ones of the rows; lazy rows stay so. {@code seen}: a row as it is tested. */
    public Rows<T> where(Predicate<Object> wanted, UnaryOperator<Row> seen) {
        Function<T, Row> row = Row.reader(columns);
        Predicate<T> test = item -> wanted.test(seen.apply(row.apply(item)));
        if (source instanceof Collection<? extends T> all) {
            var chosen = new ArrayList<T>();
            all.stream().filter(test).forEach(chosen::add);
            return new Rows<>(columns, chosen, single, onClose, audience);
        }
        Iterable<T> choosing = () -> StreamSupport.stream(source.spliterator(), false).<T>map(item -> item)
                .filter(test).iterator();
        return new Rows<>(columns, choosing, single, onClose, audience);
    }

    /** Walks on, and remembers where it has been. */
    private static final class Noting<T> implements Iterator<T> {
        private final Iterator<? extends T> items;
        private final int most;
        private final java.util.function.Consumer<List<T>> atEnd;
        private @Nullable List<T> seen = new ArrayList<>();

        Noting(Iterator<? extends T> items, int most, java.util.function.Consumer<List<T>> atEnd) {
            this.items = items;
            this.most = most;
            this.atEnd = atEnd;
        }

        @Override
        public boolean hasNext() {
            boolean more = items.hasNext();
            if (!more && seen != null) {
                atEnd.accept(seen);
                seen = null;
            }
            return more;
        }

        @Override
        public T next() {
            T next = items.next();
            if (seen != null) {
                seen.add(next);
                seen = seen.size() <= most ? seen : null;
            }
            return next;
        }
    }

    Audience audience() {
        return audience;
    }

    /**
     * What a command returned, as rows: records and maps describe themselves, anything else is one column {@code
     * value}.
     */
    static Rows<?> from(Object result) {
        if (result instanceof Rows<?> rows) {
            return rows;
        }
        if (result instanceof Row row) {
            return one(row.columns(), row);
        }
        if (result instanceof Record row && Columns.isPlain(row)) {
            return one(Columns.derived(row.getClass()), row);
        }
        if (result instanceof Map<?, ?> map) {
            return Rows.<Map<?, ?>>one(Columns.keys(map), map);
        }
        if (result instanceof Stream<?> stream) {
            return like(stream.iterator(), stream::close);
        }
        boolean many = result instanceof Iterable<?> && !(result instanceof Path); // a path is an Iterable of its parts
        return many ? like(((Iterable<?>) result).iterator(), () -> {}) : one(scalar(), result);
    }

    private static Columns<Object> scalar() {
        return Columns.of(Object.class).text("value", value -> value);
    }

    /** Columns as the first item has them. */
    private static Rows<?> like(Iterator<?> items, Runnable onClose) {
        if (!items.hasNext()) {
            return new Rows<>(Columns.of(Object.class), List.of(), false, onClose);
        }
        Object first = items.next();
        var all = new Iterator<Object>() {
            private boolean begun;

            @Override
            public boolean hasNext() {
                return !begun || items.hasNext();
            }

            @Override
            public Object next() {
                boolean replay = !begun;
                begun = true;
                return replay ? first : items.next();
            }
        };
        Columns<Object> columns = describe(first);
        boolean lines = !(first instanceof Record || first instanceof Map<?, ?>);
        return new Rows<>(columns, () -> all, false, onClose, lines ? Audience.LINES : Audience.ALL);
    }

    @SuppressWarnings("unchecked") // rows of one list have one class, as its first row has
    private static Columns<Object> describe(Object first) {
        if (first instanceof Row row) {
            return (Columns<Object>) (Columns<?>) row.columns();
        }
        if (first instanceof Record row && Columns.isPlain(row)) {
            return (Columns<Object>) (Columns<?>) Columns.derived(row.getClass());
        }
        return first instanceof Map<?, ?> map ? (Columns<Object>) (Columns<?>) Columns.keys(map) : scalar();
    }

    Columns<T> columns() {
        return columns;
    }

    boolean single() {
        return single;
    }

    /** The same rows in the order of {@code column}; {@code null}s last. Holds them all. */
    Rows<T> sorted(Column<T> column, boolean descending) {
        var all = new ArrayList<T>();
        forEach(all::add);
        all.sort(new ByValue<>(column, descending));
        return new Rows<>(columns, all, single, onClose, audience);
    }

    @Override
    @SuppressWarnings("unchecked") // an iterator only gives
    public Iterator<T> iterator() {
        return (Iterator<T>) source.iterator();
    }

    @Override
    public void close() {
        onClose.run();
    }
}

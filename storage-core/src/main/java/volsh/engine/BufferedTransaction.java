package volsh.engine;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaEngine.Leads;
import volsh.engine.MetaEngine.Work;

/**
 * The transaction that engines pass to a work. Its writes are buffered, so a work that throws leaves nothing to undo;
 * its reads see the engine's {@link State} with these writes applied. It enforces what is the same in every engine: the
 * limits, no writes in a read, no use after the work.
 *
 * <p>An engine calls {@link #run} and, if the work returned, writes {@link #rows}. Used by one thread.
 */
public final class BufferedTransaction implements MetaEngine.Transaction {
    /** The rows of the database that a transaction reads. */
    public interface State {
        /** The value, or null if there is no such key. */
        byte @Nullable [] get(MetaKey key) throws IOException;

        /** The values of those keys that exist. */
        default Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
            var found = new HashMap<MetaKey, byte[]>();
            for (var key : keys) {
                byte[] value = get(key);
                if (value != null) {
                    found.put(key, value);
                }
            }
            return found;
        }

        /** See {@link MetaEngine.Transaction#expect}. */
        default void expect(Collection<MetaKey> keys, Leads leads) throws IOException {}

        /** The first {@code limit} entries of {@code [from, to)}; neither the range nor the limit is empty. */
        List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException;
    }

    /** The new state of a row: a null value means that it is deleted. */
    public record Row(MetaKey key, byte @Nullable [] value) {}

    /** A counter row and what is added to it. */
    public record Sum(MetaKey key, Delta delta) {}

    /** The writes, each in key order, and the keys that must exist: only those not also written. */
    public record Writes(List<Row> rows, List<Sum> sums, List<MetaKey> held) {
        /** Whether nothing is written. */
        public boolean isEmpty() {
            return rows.isEmpty() && sums.isEmpty();
        }
    }

    private final State state;
    private final boolean writable;
    private final NavigableMap<MetaKey, Change> changes = new TreeMap<>();
    private final Set<MetaKey> held = new HashSet<>();
    private final Set<MetaKey> touched = new HashSet<>();
    private final Map<MetaKey, byte[]> read = new HashMap<>();   // values of the state; null for missing ones
    private boolean over;

    private BufferedTransaction(State state, boolean writable) {
        this.state = state;
        this.writable = writable;
    }

    /** For {@link MetaEngine#read}: refuses every write. */
    public static BufferedTransaction reading(State state) {
        return new BufferedTransaction(state, false);
    }

    /** For {@link MetaEngine#transact}. */
    public static BufferedTransaction writing(State state) {
        return new BufferedTransaction(state, true);
    }

    /** Runs the work once; whatever it throws becomes part of the outcome. The transaction is over afterwards. */
    public <R extends @Nullable Object> Outcome<R> run(Work<R> work) {
        try {
            return Outcome.returned(work.run(this));
        } catch (Throwable thrown) {
            return Outcome.threw(thrown);
        } finally {
            over = true;
        }
    }

    /**
     * The rows to write, in key order, with every add applied to {@code latest}: the state on top of which they will be
     * written.
     *
     * @throws HeldKeyMissingException if a held key would not exist
     */
    public List<Row> rows(State latest) throws IOException {
        requireFewKeys();
        for (var key : held) {
            var change = changes.get(key);
            if (change == null ? value(latest, key) == null : change instanceof Change.Delete) {
                throw new HeldKeyMissingException(key);
            }
        }
        var rows = new ArrayList<Row>(changes.size());
        for (var entry : changes.entrySet()) {
            rows.add(new Row(entry.getKey(), changed(entry.getKey(), entry.getValue(), latest)));
        }
        return rows;
    }

    /**
     * Like {@link #rows}, for an engine that adds and checks held keys where its rows are.
     *
     * @throws HeldKeyMissingException if the transaction itself deletes a held key
     */
    public Writes writes() throws HeldKeyMissingException {
        requireFewKeys();
        var rows = new ArrayList<Row>();
        var sums = new ArrayList<Sum>();
        changes.forEach((key, change) -> {
            if (change instanceof Change.Add(Delta delta)) {
                sums.add(new Sum(key, delta));
            } else {
                rows.add(new Row(key, change.applyTo(null)));
            }
        });
        for (var key : held) {
            if (changes.get(key) instanceof Change.Delete) {
                throw new HeldKeyMissingException(key);
            }
        }
        return new Writes(rows, sums, held.stream().filter(key -> !changes.containsKey(key)).sorted().toList());
    }

    @Override
    public byte @Nullable [] get(MetaKey key) throws IOException {
        touch(key);
        var change = changes.get(key);
        return change == null ? unchanged(key) : changed(key, change, state);
    }

    /** The row in the state, read once: a change often reads the rows that it goes on to write. */
    private byte @Nullable [] unchanged(MetaKey key) throws IOException {
        byte[] known = read.get(key);
        if (known == null && !read.containsKey(key)) {
            known = state.get(key);
            read.put(key, known);
        }
        return known;
    }

    @Override
    public Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
        var unknown = new ArrayList<MetaKey>(keys.size());
        for (var key : keys) {
            touch(key);
            if (!read.containsKey(key) && !changes.containsKey(key)) {
                unknown.add(key);
            }
        }
        if (!unknown.isEmpty()) {
            var answered = state.getAll(unknown);
            for (var key : unknown) {
                read.put(key, answered.get(key));
            }
        }
        var found = new HashMap<MetaKey, byte[]>();
        for (var key : keys) {
            byte[] value = get(key);
            if (value != null) {
                found.put(key, value);
            }
        }
        return found;
    }

    @Override
    public void expect(Collection<MetaKey> keys, Leads leads) throws IOException {
        requireOpen();
        state.expect(keys, leads);
    }

    @Override
    public List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException {
        requireOpen();
        if (limit < 0) {
            throw new IllegalArgumentException("invalid limit of a scan: " + limit);
        }
        if (limit == 0 || from.compareTo(to) >= 0) {
            return List.of();
        }
        int enough = writable ? Math.min(limit, MetaEngine.KEYS_MAX + 1) : limit;
        var own = changes.subMap(from, to);
        // Own changes remove at most own.size() of the rows: that many more are read, and the first `enough` are right.
        var rows = state.scan(from, to, Math.addExact(enough, own.size()));
        var merged = own.isEmpty() ? rows : merge(rows, own, enough);
        merged.forEach(entry -> touch(entry.key()));
        return merged;
    }

    @Override
    public void put(MetaKey key, byte[] value) {
        if (value.length > MetaEngine.VALUE_MAX) {
            throw new IllegalArgumentException("the value of %s is longer than %d bytes: %d".formatted(
                    key, MetaEngine.VALUE_MAX, value.length));
        }
        change(key, new Change.Put(value));
    }

    @Override
    public void delete(MetaKey key) {
        change(key, new Change.Delete());
    }

    @Override
    public void hold(MetaKey key) {
        requireWritable();
        touch(key);
        held.add(key);
    }

    @Override
    public void add(MetaKey key, Delta delta) {
        var before = changes.get(key);
        change(key, before == null ? new Change.Add(delta) : before.plus(delta));
    }

    @Override
    public int room() {
        return writable ? MetaEngine.KEYS_MAX - touched.size() : Integer.MAX_VALUE;
    }

    private void change(MetaKey key, Change change) {
        requireWritable();
        touch(key);
        changes.put(key, change);
    }

    private byte @Nullable [] changed(MetaKey key, Change change, State on) throws IOException {
        return change instanceof Change.Add(Delta delta) ? added(key, delta, value(on, key)) : change.applyTo(null);
    }

    private static byte[] added(MetaKey key, Delta delta, byte @Nullable [] row) {
        try {
            return delta.applyTo(row);
        } catch (IllegalArgumentException | BufferUnderflowException other) {
            throw new CounterShapeException(key, "%s is not a counter of the shape of the delta".formatted(key), other);
        }
    }

    private byte @Nullable [] value(State of, MetaKey key) throws IOException {
        return of == state ? unchanged(key) : of.get(key);
    }

    private static List<Entry> merge(List<Entry> rows, SortedMap<MetaKey, Change> own, int limit) {
        var merged = new TreeMap<MetaKey, byte[]>();
        rows.forEach(row -> merged.put(row.key(), row.value()));
        own.forEach((key, change) -> {
            byte[] value = change.applyTo(merged.get(key));
            if (value == null) {
                merged.remove(key);
            } else {
                merged.put(key, value);
            }
        });
        return merged.entrySet().stream().limit(limit).map(row -> new Entry(row.getKey(), row.getValue())).toList();
    }

    private void touch(MetaKey key) {
        requireOpen();
        if (writable && !KeyFacts.isChangeLog(key)) {
            touched.add(key);
            requireFewKeys();
        }
    }

    private void requireFewKeys() {
        if (touched.size() > MetaEngine.KEYS_MAX) {
            throw new IllegalStateException("a transaction touches at most %d keys".formatted(MetaEngine.KEYS_MAX));
        }
    }

    private void requireWritable() {
        if (!writable) {
            throw new IllegalStateException("a read must not write");
        }
    }

    private void requireOpen() {
        if (over) {
            throw new IllegalStateException("this transaction is over");
        }
    }
}

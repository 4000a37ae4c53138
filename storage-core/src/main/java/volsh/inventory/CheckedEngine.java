package volsh.inventory;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import volsh.engine.CounterShapeException;
import volsh.engine.ForwardingEngine;
import volsh.engine.ForwardingTransaction;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;

/**
 * An engine that returns no impossible row: too short, too long, of an unknown form, or with impossible numbers. Such a
 * row is refused as damage, and every damage is reported with the volume's name. A {@link #survey} returns all rows as
 * they are.
 *
 * <p>Several rows of the name space at once are not checked here: a listing shows those that can be read, and names the
 * others.
 */
public final class CheckedEngine extends ForwardingEngine {
    private final String volume;
    private final Consumer<MetaDamagedException> met;

    /** Takes ownership of the engine; {@code met} receives every damage. */
    public CheckedEngine(MetaEngine engine, String volume, Consumer<MetaDamagedException> met) {
        super(engine);
        this.volume = volume;
        this.met = met;
    }

    private interface Call<R extends @Nullable Object> {
        R run() throws IOException;
    }

    private <R extends @Nullable Object> R named(Call<R> call) throws IOException {
        try {
            return call.run();
        } catch (MetaDamagedException damaged) {
            throw reported(damaged);
        } catch (CounterShapeException other) {
            var damaged = other.row()
                    .map(row -> MetaDamagedException.of(row, "is not a counter, or has another shape", other))
                    .orElseGet(() -> new MetaDamagedException(
                            "metadata corrupt: a row that should be a counter is not one, or has another shape",
                            other));
            throw reported(damaged);
        }
    }

    private MetaDamagedException reported(MetaDamagedException damaged) {
        damaged.isOf(volume);
        met.accept(damaged);
        return damaged;
    }

    private static <R extends @Nullable Object> Work<R> checked(Work<R> work) {
        return tx -> work.run(new Checked(tx));
    }

    @Override
    public <R extends @Nullable Object> R transact(Work<R> work) throws IOException {
        return named(() -> super.transact(checked(work)));
    }

    @Override
    public <R extends @Nullable Object> R transactFreeing(Work<R> work) throws IOException {
        return named(() -> super.transactFreeing(checked(work)));
    }

    @Override
    public <R extends @Nullable Object> R transactRemoving(Work<R> work) throws IOException {
        return named(() -> super.transactRemoving(checked(work)));
    }

    @Override
    public <R extends @Nullable Object> R read(Work<R> work) throws IOException {
        return named(() -> super.read(checked(work)));
    }

    @Override
    public <R extends @Nullable Object> R survey(Work<R> work) throws IOException {
        return named(() -> super.survey(work));
    }

    private static final class Checked extends ForwardingTransaction {
        Checked(Transaction tx) {
            super(tx);
        }

        @Override
        public byte @Nullable [] get(MetaKey key) throws IOException {
            byte[] value = tx.get(key);
            if (value != null) {
                RowShape.require(key, value);
            }
            return value;
        }

        @Override
        public Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
            var found = tx.getAll(keys);
            for (var row : found.entrySet()) {
                if (!Keys.isHistoric(row.getKey())) {
                    RowShape.require(row.getKey(), row.getValue());
                }
            }
            return found;
        }

        @Override
        public List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException {
            var found = tx.scan(from, to, limit);
            if (!Keys.isHistoric(from)) {
                for (var row : found) {
                    RowShape.require(row.key(), row.value());
                }
            }
            return found;
        }
    }
}

package volsh.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import volsh.engine.MetaEngine.Entry;

/**
 * An engine that can lose power: what was synced survives, of later commits a prefix in their order. Keeps a copy of
 * the synced rows and a list of the changes since, beside an engine that does the work. Starts no threads;
 * transactions run one at a time.
 */
public final class CrashableMetaEngine implements MetaEngine {
    /** One committed step: applies itself to the rows that survive. */
    private interface Step {
        void applyTo(Map<MetaKey, byte[]> rows);
    }

    private final Supplier<MetaEngine> engines;
    private final MetaEngine engine;
    private final NavigableMap<MetaKey, byte[]> synced;
    private final List<List<Step>> unsynced = new ArrayList<>();

    /** An empty database, served by an engine of this kind, now and after each crash. */
    public CrashableMetaEngine(Supplier<MetaEngine> engines) {
        this(engines, engines.get(), new TreeMap<>());
    }

    private CrashableMetaEngine(Supplier<MetaEngine> engines, MetaEngine engine, NavigableMap<MetaKey, byte[]> synced) {
        this.engines = engines;
        this.engine = engine;
        this.synced = synced;
    }

    /** Power is lost: returns the engine that finds what survived. This one is closed. */
    public synchronized CrashableMetaEngine crash(RandomGenerator random) throws IOException {
        engine.close();
        return survivors(random.nextInt(unsynced.size() + 1));
    }

    /** What would be found if power were lost now. This one goes on. */
    public synchronized CrashableMetaEngine image(RandomGenerator random) throws IOException {
        return survivors(random.nextInt(unsynced.size() + 1));
    }

    /** The process is killed: every commit survives, though unsynced as before, were power to be lost next. */
    public synchronized CrashableMetaEngine kill() throws IOException {
        engine.close();
        var before = new TreeMap<>(synced);
        var after = survivors(unsynced.size());
        after.synced.clear();
        after.synced.putAll(before);
        after.unsynced.addAll(unsynced);
        return after;
    }

    /** How many commits the next crash may take. */
    public synchronized int unsyncedCommits() {
        return unsynced.size();
    }

    private CrashableMetaEngine survivors(int commits) throws IOException {
        var rows = new TreeMap<>(synced);
        unsynced.subList(0, commits).forEach(steps -> steps.forEach(step -> step.applyTo(rows)));
        var fresh = engines.get();
        var remaining = new ArrayList<>(rows.entrySet());
        while (!remaining.isEmpty()) {
            var page = remaining.subList(Math.max(0, remaining.size() - KEYS_MAX), remaining.size());
            fresh.transact(tx -> {
                for (var row : page) {
                    tx.put(row.getKey(), row.getValue());
                }
                return null;
            });
            page.clear();
        }
        return new CrashableMetaEngine(engines, fresh, rows);
    }

    @Override
    public synchronized <R> R transact(Work<R> work) throws IOException {
        var steps = new ArrayList<Step>();
        R result = engine.transact(tx -> {
            steps.clear();
            return work.run(new Noting(tx, steps));
        });
        if (!steps.isEmpty()) {
            unsynced.add(steps);
        }
        return result;
    }

    @Override
    public <R> R read(Work<R> work) throws IOException {
        return engine.read(work);
    }

    @Override
    public synchronized void sync() throws IOException {
        engine.sync();
        unsynced.forEach(steps -> steps.forEach(step -> step.applyTo(synced)));
        unsynced.clear();
    }

    @Override
    public void close() throws IOException {
        engine.close();
    }

    /** Notes what a transaction writes. */
    private record Noting(Transaction tx, List<Step> steps) implements Transaction {
        @Override
        public int room() {
            return tx.room();
        }

        @Override
        public byte[] get(MetaKey key) throws IOException {
            return tx.get(key);
        }

        @Override
        public Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
            return tx.getAll(keys);
        }

        @Override
        public List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException {
            return tx.scan(from, to, limit);
        }

        @Override
        public void put(MetaKey key, byte[] value) throws IOException {
            tx.put(key, value);
            steps.add(rows -> rows.put(key, value));
        }

        @Override
        public void delete(MetaKey key) throws IOException {
            tx.delete(key);
            steps.add(rows -> rows.remove(key));
        }

        @Override
        public void hold(MetaKey key) throws IOException {
            tx.hold(key);
        }

        @Override
        public void add(MetaKey key, Delta delta) throws IOException {
            tx.add(key, delta);
            steps.add(rows -> rows.put(key, delta.applyTo(rows.get(key))));
        }
    }
}

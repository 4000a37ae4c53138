package volsh.ship;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.block.PutsOnce;
import volsh.block.UnavailableException;

/**
 * Several stores with the same shipped metadata, as one. Everything is put into all that answer; one that was away gets what it missed
 * before anything more is put. The first of them that answers decides races; where another then has a log of a later epoch, somebody took
 * the volume over who could not reach the first, and that counts. Thread-safe.
 */
public final class Replicas implements BlockStore, PutsOnce {
    private static final Logger LOG = System.getLogger("volsh.ship");
    private static final long AWAY = Duration.ofSeconds(5).toNanos();

    private final List<Replica> replicas;

    /** Opens a store; fails if it is not the volume's. */
    public interface Opening {
        BlockStore open() throws IOException;
    }

    /** One of the stores, by a name for people. */
    public record Source(String name, Opening opening) {}

    public Replicas(List<Source> sources) {
        this.replicas = sources.stream().map(Replica::new).toList();
    }

    /** A store that is opened when it is needed, and left alone for some seconds after it failed. */
    private static final class Replica {
        private final Source source;
        private BlockStore store;
        private boolean level;
        private boolean away;
        private long due;

        Replica(Source source) {
            this.source = source;
        }

        BlockStore store() throws IOException {
            if (store == null) {
                store = source.opening().open();
            }
            return store;
        }

        boolean isUsable() {
            return !away || System.nanoTime() - due >= 0;
        }

        void failed(IOException why) {
            LOG.log(away ? Level.DEBUG : Level.WARNING, "store '%s' gets no metadata: %s".formatted(source.name(), why.getMessage()));
            away = true;
            level = false;
            due = System.nanoTime() + AWAY;
            try {
                close();   // what answers again may be something else
            } catch (IOException second) {
                LOG.log(Level.DEBUG, "store '%s' is not closed".formatted(source.name()), second);
            }
        }

        void close() throws IOException {
            if (store != null) {
                var last = store;
                store = null;
                last.close();
            }
        }
    }

    private interface Work<R> {
        R run(BlockStore store) throws IOException;
    }

    /** Does it with all stores that answer, and returns what those said. @throws IOException if none does */
    private <R> List<R> all(Work<R> work) throws IOException {
        var results = new ArrayList<R>();
        IOException trouble = null;
        for (var replica : replicas) {
            if (replica.isUsable()) {
                try {
                    results.add(work.run(replica.store()));
                    replica.away = false;
                } catch (NoSuchBlockException answer) {
                    throw answer;
                } catch (IOException failed) {
                    replica.failed(failed);
                    trouble = failed;
                }
            }
        }
        if (results.isEmpty()) {
            throw none(trouble);
        }
        return results;
    }

    private IOException none(IOException trouble) {
        return trouble != null ? trouble : new UnavailableException("none of the stores with the metadata answers: %s"
                .formatted(replicas.stream().map(each -> each.source.name()).toList()), null);
    }

    /** Has it done with each of them. @throws IOException if one fails */
    synchronized void each(Step step) throws IOException {
        for (var replica : replicas) {
            step.run(replica.store());
        }
    }

    interface Step {
        void run(BlockStore store) throws IOException;
    }

    // ---- reading

    @Override
    public synchronized int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        NoSuchBlockException none = null;
        for (var store : holders(key)) {
            try {
                return store.get(key, offset, target);
            } catch (NoSuchBlockException missing) {
                none = missing;
            }
        }
        throw none == null ? new NoSuchBlockException(key) : none;
    }

    /** The stores that have it, those first that count. */
    private List<BlockStore> holders(BlockKey key) throws IOException {
        record Holder(BlockStore store, long epoch) {}
        var found = new ArrayList<Holder>();
        for (var holder : all(store -> new Holder(store, epoch(store, key)))) {
            if (holder.epoch() >= 0) {
                found.add(holder);
            }
        }
        found.sort(Comparator.comparingLong(Holder::epoch).reversed());
        return found.stream().map(Holder::store).toList();
    }

    /** The epoch of a log; 0 for anything else that is there, -1 for what is not. */
    private static long epoch(BlockStore store, BlockKey key) throws IOException {
        var head = ByteBuffer.allocate(Parcel.EPOCH_END);
        try {
            store.get(key, 0, head);
        } catch (NoSuchBlockException none) {
            return -1;
        }
        return key.text().startsWith(Place.LOGS) ? epoch(head.flip()) : 0;
    }

    private static long epoch(ByteBuffer parcel) {
        return parcel.remaining() < Parcel.EPOCH_END ? 0 : parcel.getLong(parcel.position() + Parcel.EPOCH_END - Long.BYTES);
    }

    @Override
    public synchronized Stream<Listed> list(String prefix) throws IOException {
        var union = new TreeMap<BlockKey, Listed>();
        for (var listed : all(store -> new Place(store).list(prefix))) {
            listed.forEach(each -> union.putIfAbsent(each.key(), each));
        }
        return List.copyOf(union.values()).stream();
    }

    // ---- writing

    @Override
    public synchronized void put(BlockKey key, ByteBuffer data) throws IOException {
        all(store -> {
            store.put(key, data.duplicate());
            return true;
        });
    }

    @Override
    public synchronized boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        level();
        boolean decided = false;
        boolean lost = false;
        IOException trouble = null;
        for (var replica : replicas) {
            if (!lost && replica.isUsable()) {
                try {
                    lost = !putIfAbsent(replica.store(), key, data, decided);
                    decided = true;
                    replica.away = false;
                } catch (IOException failed) {
                    replica.failed(failed);
                    trouble = failed;
                }
            }
        }
        if (!decided) {
            throw none(trouble);
        }
        if (lost) {
            replicas.forEach(each -> each.level = false);   // what is there may be in some of them only
        }
        return !lost;
    }

    /** Whether it is there now. Once another store has decided, only a later epoch stays: others lost a race there, and never knew. */
    private static boolean putIfAbsent(BlockStore store, BlockKey key, ByteBuffer data, boolean decided) throws IOException {
        if (PutsOnce.of(store).putIfAbsent(key, data)) {
            return true;
        }
        boolean yields = decided && (!key.text().startsWith(Place.LOGS) || epoch(store, key) <= epoch(data));
        if (yields) {
            store.put(key, data.duplicate());
        }
        return yields;
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        deleteAll(List.of(key));
    }

    @Override
    public synchronized void deleteAll(List<BlockKey> keys) throws IOException {
        all(store -> {
            store.deleteAll(keys);
            return true;
        });
    }

    // ---- levelling

    /** Gives those that were away, or are new, what the others have: the newest base with its parts, and the logs behind it. */
    private void level() throws IOException {
        if (replicas.stream().allMatch(each -> each.level || !each.isUsable())) {
            return;
        }
        var there = new LinkedHashMap<Replica, Set<BlockKey>>();
        for (var replica : replicas) {
            if (replica.isUsable()) {
                try {
                    there.put(replica, keys(replica.store()));
                    replica.away = false;
                } catch (IOException failed) {
                    replica.failed(failed);
                }
            }
        }
        var needed = needed(there.values());
        for (var each : there.entrySet()) {
            try {
                each.getKey().level |= fill(each.getKey().store(), each.getValue(), needed);
            } catch (IOException failed) {
                each.getKey().failed(failed);
            }
        }
    }

    /** Gives all of them what is shipped; whether all have it now. */
    public synchronized boolean levelAll() {
        replicas.forEach(each -> each.level = false);
        try {
            level();
        } catch (IOException nobodyAnswers) {
            return false;
        }
        return replicas.stream().allMatch(each -> each.level);
    }

    private static Set<BlockKey> keys(BlockStore store) throws IOException {
        return new Place(store).list(Place.ALL).stream().map(Listed::key).collect(Collectors.toSet());
    }

    private static List<BlockKey> needed(Collection<Set<BlockKey>> there) throws IOException {
        var all = new TreeSet<BlockKey>();
        there.forEach(all::addAll);
        var bases = all.stream().filter(key -> key.text().startsWith(Place.BASES)).toList();
        long start = bases.isEmpty() ? 0 : Place.number(bases.getLast());
        var keys = new ArrayList<BlockKey>();
        for (var key : all) {
            if (key.text().startsWith(Place.PARTS) && Place.number(key) == start || key.text().startsWith(Place.LOGS) && Place.number(key) > start) {
                keys.add(key);
            }
        }
        if (!bases.isEmpty()) {
            keys.add(bases.getLast());   // last: one without its parts must not be found
        }
        return keys;
    }

    private boolean fill(BlockStore store, Set<BlockKey> own, List<BlockKey> needed) throws IOException {
        for (var key : needed) {
            if (!own.contains(key)) {
                try {
                    store.put(key, ByteBuffer.wrap(new Place(this).read(key)));
                } catch (NoSuchBlockException superseded) {
                    return false;   // another process was quicker; there is a newer base now
                }
            }
        }
        return true;
    }

    @Override
    public synchronized void close() throws IOException {
        IOException first = null;
        for (var replica : replicas) {
            try {
                replica.close();
            } catch (IOException failed) {
                first = first == null ? failed : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}

package volsh.ship;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.block.PutsOnce;
import volsh.block.UnavailableException;
import volsh.fs.Closeables;

/**
 * Several stores with the same shipped metadata, as one. Everything is put into all that answer; one that was away gets
 * what it missed before anything else is put; one that hangs is skipped after a while ({@link Replica}). The first of
 * them that answers decides races; but if another has a log of a later epoch, a host that could not reach the first has
 * taken the volume over, and that wins. Thread-safe.
 */
public final class Replicas implements BlockStore, PutsOnce {
    private final List<Replica> replicas;

    /** Opens a store; fails if it does not belong to the volume. */
    public interface Opening {
        BlockStore open() throws IOException;
    }

    /** One of the stores, by name. */
    public record Source(String name, Opening opening) {}

    public Replicas(List<Source> sources) {
        this(sources, Replica.Limits.STANDARD);
    }

    Replicas(List<Source> sources, Replica.Limits limits) {
        this.replicas = sources.stream().map(each -> new Replica(each, limits)).toList();
    }

    /** Runs work on all stores and returns the results of those that answer. @throws IOException if none does */
    private <R> Map<Replica, R> all(long bytes, Replica.Work<R> work) throws IOException {
        var results = new LinkedHashMap<Replica, R>();
        IOException trouble = null;
        for (var replica : replicas) {
            if (replica.isUsable()) {
                try {
                    results.put(replica, replica.call(bytes, work));
                } catch (NoSuchBlockException answer) {
                    throw answer;
                } catch (IOException failed) {
                    trouble = failed;
                }
            }
        }
        if (results.isEmpty()) {
            throw none(trouble);
        }
        return results;
    }

    private IOException none(@Nullable IOException trouble) {
        return trouble != null ? trouble : new UnavailableException("none of the stores with the metadata responds: %s"
                .formatted(replicas.stream().map(Replica::name).toList()), null);
    }

    /** Runs a step on each of them. @throws IOException if one fails */
    synchronized void each(Step step) throws IOException {
        for (var replica : replicas) {
            replica.call(0, store -> {
                step.run(store);
                return true;
            });
        }
    }

    interface Step {
        void run(BlockStore store) throws IOException;
    }

    // ---- reading

    @Override
    public synchronized int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        NoSuchBlockException none = null;
        int room = target.remaining();
        for (var replica : holders(key)) {
            try {
                var bytes = ByteBuffer.allocate(room);   // a late answer must not write to the caller's
                int count = replica.call(room, store -> store.get(key, offset, bytes));
                target.put(bytes.flip());
                return count;
            } catch (NoSuchBlockException missing) {
                none = missing;
            }
        }
        throw none == null ? new NoSuchBlockException(key) : none;
    }

    /** Those that have it, in order of authority. */
    private List<Replica> holders(BlockKey key) throws IOException {
        var epochs = all(0, store -> epoch(store, key));
        return epochs.entrySet().stream().filter(each -> each.getValue() >= 0)
                .sorted(Map.Entry.<Replica, Long>comparingByValue().reversed()).map(Map.Entry::getKey).toList();
    }

    /** The epoch of a log; 0 for any other existing object, -1 for a missing one. */
    private static long epoch(BlockStore store, BlockKey key) throws IOException {
        var head = ByteBuffer.allocate(ShippedObject.EPOCH_END);
        try {
            store.get(key, 0, head);
        } catch (NoSuchBlockException none) {
            return -1;
        }
        return key.text().startsWith(ShippedNames.LOGS) ? epoch(head.flip()) : 0;
    }

    private static long epoch(ByteBuffer parcel) {
        return parcel.remaining() < ShippedObject.EPOCH_END ? 0
                : parcel.getLong(parcel.position() + ShippedObject.EPOCH_END - Long.BYTES);
    }

    @Override
    public synchronized Stream<Listed> list(String prefix) throws IOException {
        var union = new TreeMap<BlockKey, Listed>();
        for (var listed : all(0, store -> new ShippedNames(store).list(prefix)).values()) {
            listed.forEach(each -> union.putIfAbsent(each.key(), each));
        }
        return List.copyOf(union.values()).stream();
    }

    // ---- writing

    @Override
    public synchronized void put(BlockKey key, ByteBuffer data) throws IOException {
        var copy = copy(data);
        all(copy.remaining(), store -> {
            store.put(key, copy.duplicate());
            return true;
        });
    }

    /** A late store may read the data long after the caller has continued. */
    private static ByteBuffer copy(ByteBuffer data) {
        return ByteBuffer.allocate(data.remaining()).put(data.duplicate()).flip();
    }

    @Override
    public synchronized boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        // one that comes back later has missed something
        var asked = replicas.stream().filter(Replica::isUsable).toList();
        level();
        var copy = copy(data);
        boolean decided = false;
        boolean lost = false;
        IOException trouble = null;
        for (var replica : asked) {
            if (!lost && replica.isUsable()) {
                try {
                    boolean known = decided;
                    lost = !replica.call(copy.remaining(), store -> putIfAbsent(store, key, copy, known));
                    decided = true;
                } catch (IOException failed) {
                    trouble = failed;
                }
            }
        }
        if (!decided) {
            throw none(trouble);
        }
        if (lost) {
            replicas.forEach(each -> each.setLevel(false));   // the existing object may be in some of them only
        }
        return !lost;
    }

    /**
     * Whether the object is there now. Once another store has decided, only a later epoch survives: other objects lost
     * that race without knowing.
     */
    private static boolean putIfAbsent(BlockStore store, BlockKey key, ByteBuffer data, boolean decided)
            throws IOException {
        if (PutsOnce.of(store).putIfAbsent(key, data.duplicate())) {
            return true;
        }
        boolean yields = decided && (!key.text().startsWith(ShippedNames.LOGS) || epoch(store, key) <= epoch(data));
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
        all(0, store -> {
            store.deleteAll(keys);
            return true;
        });
    }

    // ---- levelling

    /** Gives stores that are new or were away what the others have: the newest base with its parts and later logs. */
    private void level() throws IOException {
        if (replicas.stream().allMatch(each -> each.isLevel() || !each.isUsable())) {
            return;
        }
        var there = all(0, Replicas::keys);
        var needed = needed(there.values());
        for (var each : there.entrySet()) {
            try {
                each.getKey().setLevel(fill(each.getKey(), each.getValue(), needed) || each.getKey().isLevel());
            } catch (IOException failed) {
                each.getKey().setLevel(false);
            }
        }
    }

    /** Gives all of them what is shipped; returns whether all have it now. */
    public synchronized boolean levelAll() {
        replicas.forEach(each -> each.setLevel(false));
        try {
            level();
        } catch (IOException nobodyAnswers) {
            return false;
        }
        return replicas.stream().allMatch(Replica::isLevel);
    }

    private static Set<BlockKey> keys(BlockStore store) throws IOException {
        return new ShippedNames(store).list(ShippedNames.ALL).stream().map(Listed::key).collect(Collectors.toSet());
    }

    /** Includes parts of a base being written: it must not be found in a store that misses some. */
    private static List<BlockKey> needed(Collection<Set<BlockKey>> there) throws IOException {
        var all = new TreeSet<BlockKey>();
        there.forEach(all::addAll);
        var bases = all.stream().filter(key -> key.text().startsWith(ShippedNames.BASES)).toList();
        long start = bases.isEmpty() ? 0 : ShippedNames.number(bases.getLast());
        var keys = new ArrayList<BlockKey>();
        for (var key : all) {
            if (key.text().startsWith(ShippedNames.PARTS) && ShippedNames.number(key) >= start
                    || key.text().startsWith(ShippedNames.LOGS) && ShippedNames.number(key) > start) {
                keys.add(key);
            }
        }
        if (!bases.isEmpty()) {
            keys.add(bases.getLast());   // last: a base without its parts must not be found
        }
        return keys;
    }

    private boolean fill(Replica replica, Set<BlockKey> own, List<BlockKey> needed) throws IOException {
        for (var key : needed) {
            if (!own.contains(key)) {
                try {
                    byte[] bytes = new ShippedNames(this).read(key);
                    replica.call(bytes.length, store -> {
                        store.put(key, ByteBuffer.wrap(bytes));
                        return true;
                    });
                } catch (NoSuchBlockException superseded) {
                    return false;   // another process was quicker; there is a newer base now
                }
            }
        }
        return true;
    }

    @Override
    public synchronized void close() throws IOException {
        Closeables.closeAll(replicas, Replica::close);
    }
}

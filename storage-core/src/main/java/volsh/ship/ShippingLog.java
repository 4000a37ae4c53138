package volsh.ship;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaEngine.Transaction;
import volsh.engine.MetaKey;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.inventory.Superblock;
import volsh.meta.Sessions;

/** The rows of the change log, on the underlying engine: nothing done here is recorded. */
final class ShippingLog {
    private static final int PAGE = 500;

    private final MetaEngine engine;

    ShippingLog(MetaEngine engine) {
        this.engine = engine;
    }

    /** A recorded change: the bytes of its write set. */
    record Change(long number, byte[] set) {}

    /** Counter and state at one moment. */
    record Now(Counter counter, ShipState state) {
        long unshipped() {
            return counter.last() - state.shipped();
        }
    }

    Counter counter() throws IOException {
        return engine.read(tx -> Counter.parse(tx.get(LogKeys.COUNTER)));
    }

    ShipState state() throws IOException {
        return engine.read(tx -> ShipState.parse(tx.get(LogKeys.STATE)));
    }

    /** Only for a volume that records its changes. */
    Now now() throws IOException {
        return engine.read(ShippingLog::now);
    }

    static Now now(Transaction tx) throws IOException {
        return new Now(Counter.parse(tx.get(LogKeys.COUNTER)), ShipState.parse(tx.get(LogKeys.STATE)));
    }

    /**
     * Starts recording changes, as a new copy. Earlier numbers stay taken: no place is used twice.
     *
     * @throws FsException BUSY if the volume is open elsewhere, because that process would not notice
     */
    void switchOn(UUID copy, Instant now) throws IOException {
        new Superblock(engine, () -> now).sessions().fenceExpired();   // there may be more than a transaction can read
        engine.transact(tx -> {
            var counter = Counter.parse(tx.get(LogKeys.COUNTER));
            if (!counter.on()) {
                requireNobody(tx, now);
                tx.put(LogKeys.COUNTER, counter.switched(true).toBytes());
                tx.put(LogKeys.STATE, ShipState.begin(copy, counter).toBytes());
            }
            return null;
        });
    }

    private static void requireNobody(Transaction tx, Instant now) throws IOException {
        var session = Sessions.alive(tx, now);
        if (session.isPresent()) {
            throw new FsException(FsError.BUSY, "the volume is in use: %s, process %d on %s".formatted(
                    session.get().purpose(), session.get().pid(), session.get().host()));
        }
    }

    void switchOff() throws IOException {
        long last = engine.transact(tx -> {
            var counter = Counter.parse(tx.get(LogKeys.COUNTER));
            var state = ShipState.parse(tx.get(LogKeys.STATE));
            tx.put(LogKeys.COUNTER, counter.switched(false).toBytes());
            tx.put(LogKeys.STATE, ShipState.begin(state.copy(), counter).toBytes());
            return counter.last();
        });
        trim(last);
    }

    /**
     * Changes in order, starting with this one: about {@code bytesMax} bytes of them, at least one if there is one.
     *
     * @throws MetaDamagedException if some are missing; they may have been shipped and removed meanwhile, which the
     * state tells
     */
    List<Change> from(long number, long bytesMax) throws IOException {
        var found = new ArrayList<Change>();
        long bytes = 0;
        var next = LogKeys.change(number, 0);
        while (bytes < bytesMax) {
            var rows = page(next);
            if (rows.isEmpty()) {
                break;
            }
            for (int at = 0; at < rows.size() && bytes < bytesMax; ) {
                var change = change(rows, at);
                if (change.number() != number + found.size()) {
                    throw new MetaDamagedException("metadata corrupt: the change log lacks change %d"
                            .formatted(number + found.size()));
                }
                found.add(change);
                bytes += change.set().length;
                at += parts(change.set().length);
            }
            next = LogKeys.change(number + found.size(), 0);
        }
        return found;
    }

    /** Rows of whole changes: the last one is completed. */
    private List<Entry> page(MetaKey from) throws IOException {
        return engine.read(tx -> {
            var rows = new ArrayList<>(tx.scan(from, end(), PAGE));
            if (rows.size() == PAGE) {
                var last = LogKeys.change(LogKeys.number(rows.getLast().key()) + 1, 0);
                for (var more = rest(tx, rows, last); !more.isEmpty(); more = rest(tx, rows, last)) {
                    rows.addAll(more);
                }
            }
            return rows;
        });
    }

    private static List<Entry> rest(Transaction tx, List<Entry> rows, MetaKey to) throws IOException {
        return tx.scan(rows.getLast().key().next(), to, PAGE);
    }

    private static Change change(List<Entry> rows, int at) throws IOException {
        long number = LogKeys.number(rows.get(at).key());
        int length = ByteBuffer.wrap(rows.get(at).value()).getInt();
        int parts = parts(length);
        if (at + parts > rows.size()) {
            throw new MetaDamagedException("metadata corrupt: change %d of the change log is truncated"
                    .formatted(number));
        }
        var whole = ByteBuffer.allocate(Integer.BYTES + length);
        for (var row : rows.subList(at, at + parts)) {
            whole.put(row.value());
        }
        byte[] set = new byte[length];
        whole.get(Integer.BYTES, set);
        return new Change(number, set);
    }

    private static int parts(int length) {
        return (Integer.BYTES + length + MetaEngine.VALUE_MAX - 1) / MetaEngine.VALUE_MAX;
    }

    /** Changes the state, unless it has advanced since {@code seen}. */
    boolean advance(ShipState seen, UnaryOperator<ShipState> change) throws IOException {
        return engine.transact(tx -> {
            var current = ShipState.parse(tx.get(LogKeys.STATE));
            boolean same = current.shipped() == seen.shipped() && current.copy().equals(seen.copy());
            if (same) {
                tx.put(LogKeys.STATE, change.apply(current).toBytes());
            }
            return same;
        });
    }

    /** Makes this copy read-only, unless the state has advanced since {@code seen}. */
    void fence(ShipState seen, Fence fence) throws IOException {
        engine.transact(tx -> {
            var now = now(tx);
            if (now.state().shipped() == seen.shipped()) {
                tx.put(LogKeys.COUNTER, now.counter().withFence().toBytes());
                tx.put(LogKeys.STATE, now.state().with(fence).toBytes());
            }
            return null;
        });
        engine.sync();
    }

    /** When the first unshipped change was committed. */
    Optional<Instant> oldest() throws IOException {
        return engine.read(tx -> {
            var rows = tx.scan(LogKeys.change(now(tx).state().shipped() + 1, 0), end(), 1);
            return rows.isEmpty() ? Optional.<Instant>empty()
                    : Optional.of(WriteSet.time(rows.getFirst().value(), Integer.BYTES));
        });
    }

    /** Removes the changes up to this one. */
    void trim(long last) throws IOException {
        var to = LogKeys.change(last + 1, 0);
        while (engine.transactFreeing(tx -> {
            var rows = tx.scan(LogKeys.change(0, 0), to, PAGE);
            for (var row : rows) {
                tx.delete(row.key());
            }
            return rows.size();
        }) == PAGE) {
            // the next page
        }
    }

    private static MetaKey end() {
        return LogKeys.change(-1L, 0);   // unsigned: behind every change
    }
}

package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.fs.Lock;

/**
 * Who waits for which bytes of a file, for those who share a volume: so that a circle of waits is noticed, wherever those in
 * it are. Each session has one row of its waits; they are told when they have lasted for a while.
 */
public final class LockWaits {
    private static final byte FORMAT = 1;
    private static final int BYTES = 8 + 1 + 8 + 8 + 8;
    private static final int PAGE = 500;
    /** A row holds no more: those who come later are not looked at. */
    static final int WAITS_MAX = 1000;

    private final MetaEngine engine;
    private final CurrentSession session;

    LockWaits(MetaEngine engine, CurrentSession session) {
        this.engine = engine;
        this.session = session;
    }

    /** Somebody of this session waits for a lock on this file. */
    public record Wait(long ino, Lock wanted) {}

    /** An owner of locks, wherever it is. */
    private record Owner(long session, long number) implements Comparable<Owner> {
        @Override
        public int compareTo(Owner other) {
            return session != other.session ? Long.compare(session, other.session) : Long.compare(number, other.number);
        }
    }

    private record Told(Owner owner, Wait of) {}

    /** These are the waits of this session, in place of those told before. */
    public void tell(List<Wait> waits) throws IOException {
        var key = Keys.lockWaits(session.id());
        var some = waits.subList(0, Math.min(waits.size(), WAITS_MAX));
        var row = ByteBuffer.allocate(1 + BYTES * some.size()).put(FORMAT);
        for (var wait : some) {
            var lock = wait.wanted();
            row.putLong(wait.ino()).put((byte) (lock.exclusive() ? 1 : 0)).putLong(lock.start()).putLong(lock.last()).putLong(lock.owner());
        }
        engine.transact(tx -> {
            if (some.isEmpty()) {
                tx.delete(key);
            } else {
                tx.put(key, row.array());
            }
            return null;
        });
    }

    /**
     * Is this wait, which was told before, in a circle, and the one of it that is to be given up? Of each circle that is the one
     * whose session and owner have the highest numbers, so that one is given up, and those in it agree which.
     */
    public boolean isToBeGivenUp(Wait wait) throws IOException {
        var me = new Owner(session.id(), wait.wanted().owner());
        return engine.read(tx -> {
            var waitsFor = edges(tx, told(tx));
            return circle(me, waitsFor).stream().max(Owner::compareTo).filter(me::equals).isPresent();
        });
    }

    /** Does this wait come back to itself by way of those others of this session, as the locks are now? */
    public boolean isCircle(Wait wait, List<Wait> here) throws IOException {
        var me = new Owner(session.id(), wait.wanted().owner());
        List<Told> waits = here.stream().map(other -> new Told(new Owner(me.session(), other.wanted().owner()), other)).toList();
        return engine.read(tx -> !circle(me, edges(tx, waits)).isEmpty());
    }

    /** What sessions that are there have told. */
    private static List<Told> told(MetaEngine.Transaction tx) throws IOException {
        var all = new ArrayList<Told>();
        for (var from = Keys.lockWaits(); from != null; ) {
            var page = tx.scan(from, Keys.lockWaits().afterPrefix(), PAGE);
            var sessions = page.stream().map(row -> Keys.session(Keys.lockWaitsSession(row.key()))).toList();
            var alive = tx.getAll(sessions).keySet();
            for (var row : page) {
                long of = Keys.lockWaitsSession(row.key());
                if (alive.contains(Keys.session(of))) {
                    parse(of, row.value(), all);
                }
            }
            from = page.size() < PAGE ? null : page.getLast().key().next();
        }
        return all;
    }

    /** @throws RuntimeException if it is not what sessions tell */
    public static void require(byte[] row) {
        parse(0, row, new ArrayList<>());
    }

    private static void parse(long of, byte[] row, List<Told> all) {
        var in = ByteBuffer.wrap(row);
        if (in.get() != FORMAT) {
            return;   // of a newer volsh, which looks for itself
        }
        while (in.hasRemaining()) {
            long ino = in.getLong();
            boolean exclusive = in.get() == 1;
            var lock = new Lock(Lock.Kind.RANGE, exclusive, in.getLong(), in.getLong(), in.getLong(), 0);
            all.add(new Told(new Owner(of, lock.owner()), new Wait(ino, lock)));
        }
    }

    /** Who waits for whom: everybody whose lock is in the way. */
    private static Map<Owner, Set<Owner>> edges(MetaEngine.Transaction tx, List<Told> waits) throws IOException {
        var inos = waits.stream().map(told -> told.of().ino()).distinct().toList();
        var rows = tx.getAll(inos.stream().map(ino -> Keys.locks(ino, Lock.Kind.RANGE)).toList());
        var edges = new HashMap<Owner, Set<Owner>>();
        for (var told : waits) {
            var row = LockRow.parse(Lock.Kind.RANGE, rows.get(Keys.locks(told.of().ino(), Lock.Kind.RANGE)));
            edges.computeIfAbsent(told.owner(), one -> new HashSet<>()).addAll(row.conflicts(told.owner().session(), told.of().wanted()).stream()
                    .map(held -> new Owner(held.session(), held.lock().owner())).collect(Collectors.toSet()));
        }
        return edges;
    }

    /** A circle through this owner; empty if there is none. */
    private static List<Owner> circle(Owner me, Map<Owner, Set<Owner>> waitsFor) {
        var cameFrom = new HashMap<Owner, Owner>();
        var next = new ArrayList<>(List.of(me));
        while (!next.isEmpty()) {
            var at = next.removeLast();
            for (var other : waitsFor.getOrDefault(at, Set.of())) {
                if (other.equals(me)) {
                    var circle = new ArrayList<Owner>();
                    for (var on = at; on != null; on = cameFrom.get(on)) {
                        circle.add(on);
                    }
                    return circle;
                }
                if (!cameFrom.containsKey(other)) {
                    cameFrom.put(other, at);
                    next.add(other);
                }
            }
        }
        return List.of();
    }
}

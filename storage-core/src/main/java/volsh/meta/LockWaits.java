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
 * Publishes which owner waits for which bytes of a file, so that deadlocks are detected across all sessions of a
 * volume. Each session has one row of its waits; only waits that have lasted for a while are published.
 */
public final class LockWaits {
    private static final byte FORMAT = 1;
    private static final int BYTES = 8 + 1 + 8 + 8 + 8;
    private static final int PAGE = 500;
    /** The most waits that fit into a row: later ones take no part in deadlock detection. */
    static final int WAITS_MAX = 1000;

    private final MetaEngine engine;
    private final CurrentSession session;

    LockWaits(MetaEngine engine, CurrentSession session) {
        this.engine = engine;
        this.session = session;
    }

    /** A wait of this session for a lock on this file. */
    public record Wait(long ino, Lock wanted) {}

    /** An owner of locks, in any session. */
    private record Owner(long session, long number) implements Comparable<Owner> {
        @Override
        public int compareTo(Owner other) {
            return session != other.session ? Long.compare(session, other.session) : Long.compare(number, other.number);
        }
    }

    private record Published(Owner owner, Wait of) {}

    /** Publishes the waits of this session, replacing those published before. */
    public void tell(List<Wait> waits) throws IOException {
        var key = Keys.lockWaits(session.id());
        var some = waits.subList(0, Math.min(waits.size(), WAITS_MAX));
        var row = ByteBuffer.allocate(1 + BYTES * some.size()).put(FORMAT);
        for (var wait : some) {
            var lock = wait.wanted();
            row.putLong(wait.ino()).put((byte) (lock.exclusive() ? 1 : 0)).putLong(lock.start()).putLong(lock.last())
                    .putLong(lock.owner());
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
     * Whether this wait, already published, is part of a deadlock and is the one to give up. In each cycle that is the
     * wait with the highest session and owner numbers, so that exactly one is given up and all sessions agree on it.
     */
    public boolean isToBeGivenUp(Wait wait) throws IOException {
        var me = new Owner(session.id(), wait.wanted().owner());
        return engine.read(tx -> {
            var waitsFor = edges(tx, published(tx));
            return circle(me, waitsFor).stream().max(Owner::compareTo).filter(me::equals).isPresent();
        });
    }

    /** Whether this wait leads back to itself through the other waits of this session, given the current locks. */
    public boolean isCircle(Wait wait, List<Wait> here) throws IOException {
        var me = new Owner(session.id(), wait.wanted().owner());
        List<Published> waits = here.stream()
                .map(other -> new Published(new Owner(me.session(), other.wanted().owner()), other)).toList();
        return engine.read(tx -> !circle(me, edges(tx, waits)).isEmpty());
    }

    /** The waits published by live sessions. */
    private static List<Published> published(MetaEngine.Transaction tx) throws IOException {
        var all = new ArrayList<Published>();
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

    /** Checks a published row. @throws RuntimeException if it is malformed */
    public static void require(byte[] row) {
        parse(0, row, new ArrayList<>());
    }

    private static void parse(long of, byte[] row, List<Published> all) {
        var in = ByteBuffer.wrap(row);
        if (in.get() != FORMAT) {
            return;   // written by a newer volsh, which checks its own rows
        }
        while (in.hasRemaining()) {
            long ino = in.getLong();
            boolean exclusive = in.get() == 1;
            var lock = new Lock(Lock.Kind.RANGE, exclusive, in.getLong(), in.getLong(), in.getLong(), 0);
            all.add(new Published(new Owner(of, lock.owner()), new Wait(ino, lock)));
        }
    }

    /** The wait-for graph: each owner to all owners whose locks are in its way. */
    private static Map<Owner, Set<Owner>> edges(MetaEngine.Transaction tx, List<Published> waits) throws IOException {
        var inos = waits.stream().map(published -> published.of().ino()).distinct().toList();
        var rows = tx.getAll(inos.stream().map(ino -> Keys.locks(ino, Lock.Kind.RANGE)).toList());
        var edges = new HashMap<Owner, Set<Owner>>();
        for (var published : waits) {
            var row = LockRow.parse(Lock.Kind.RANGE, rows.get(Keys.locks(published.of().ino(), Lock.Kind.RANGE)));
            edges.computeIfAbsent(published.owner(), one -> new HashSet<>())
                    .addAll(row.conflicts(published.owner().session(), published.of().wanted()).stream()
                    .map(held -> new Owner(held.session(), held.lock().owner())).collect(Collectors.toSet()));
        }
        return edges;
    }

    /** A cycle through this owner; empty if there is none. */
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

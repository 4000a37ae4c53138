package volsh.meta;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.engine.HeldKeyMissingException;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Lock;
import volsh.meta.LockRow.Held;

/**
 * The locks of files, as all sessions of the volume see them. A lock belongs to a session: it is void once its session
 * has ended or has not renewed its lease in time. When such an expired session blocks a lock, it is ended, so that it
 * cannot come back and believe that it still holds what others were granted. It is watched for a while before that:
 * after a whole machine has slept, its leases have expired but its processes wake up and renew them.
 *
 * <p>Nothing waits here, and there is no promise of fairness.
 */
public final class FileLocks {
    private static final int PAGE = 200;
    private static final int BATCH = 100;

    private final MetaEngine engine;
    private final InstantSource clock;
    private final CurrentSession session;
    private final LockWaits waits;
    private final Predicate<Session> gone;
    private final Duration watch;
    private final Map<Long, Silent> silent = new ConcurrentHashMap<>();

    /** A session found with an expired lease, and the monotonic time when it was found. */
    private record Silent(Instant lease, long nanos) {}

    /** The locks of {@code session}; without one (0) every lock is refused. */
    public FileLocks(MetaEngine engine, InstantSource clock, long session) {
        this(engine, clock, new CurrentSession(engine, clock, session), unknown -> false);
    }

    /** Like the other constructor; {@code gone} recognizes sessions of dead processes whose lease is still valid. */
    public FileLocks(MetaEngine engine, InstantSource clock, CurrentSession session, Predicate<Session> gone) {
        this(engine, clock, session, gone, Sessions.LEASE.dividedBy(4).plusSeconds(1));
    }

    /** Watches expired sessions for {@code watch} before ending them. */
    FileLocks(MetaEngine engine, InstantSource clock, CurrentSession session, Predicate<Session> gone, Duration watch) {
        this.gone = gone;
        this.watch = watch;
        this.engine = engine;
        this.clock = clock;
        this.session = session;
        this.waits = new LockWaits(engine, session);
    }

    /** Whether locks are available. */
    public boolean isPossible() {
        return session.id() != 0;
    }

    /** The holder of a conflicting lock. {@code here} says whether it belongs to the same session. */
    public record Holder(long session, boolean here, Lock lock) {}

    /**
     * Takes the lock, replacing what its owner had on those bytes. Returns empty on success, otherwise the holder in
     * conflict. In that case the owner keeps its locks, except a lock on a whole file: that is released before another
     * is requested, as in Linux.
     */
    public Optional<Holder> lock(long ino, Lock wanted) throws IOException {
        return change((tx, mine) -> {
            var key = Keys.locks(ino, wanted.kind());
            var row = LockRow.parse(wanted.kind(), tx.get(key));
            for (var other = row.conflict(mine, wanted); other.isPresent(); other = row.conflict(mine, wanted)) {
                var holder = other.get();
                if (isAlive(tx, holder.session(), mine)) {
                    if (wanted.kind() == Lock.Kind.WHOLE && row.has(mine, wanted.owner())) {
                        write(tx, key, row.without(mine, wanted.owner(), 0, Lock.END));
                    }
                    return Optional.of(holder(holder, mine));
                }
                tx.delete(Keys.session(holder.session()));
                row = row.without(holder.session());
            }
            if (row.held().size() + 2 > LockRow.LOCKS_MAX) {
                throw new FsException(FsError.NO_LOCKS,
                        "too many locks: one file can have at most %d".formatted(LockRow.LOCKS_MAX));
            }
            write(tx, key, row.with(mine, wanted));
            return Optional.empty();
        });
    }

    /** Releases the owner's locks on bytes {@code [start, last]}; true if it has others of this kind on the file. */
    public boolean unlock(long ino, Lock.Kind kind, long owner, long start, long last) throws IOException {
        return change((tx, mine) -> {
            var key = Keys.locks(ino, kind);
            var row = LockRow.parse(kind, tx.get(key));
            var left = row.without(mine, owner, start, last);
            if (!left.equals(row)) {
                write(tx, key, left);
            }
            return left.has(mine, owner);
        });
    }

    /** The holder that conflicts with this lock, if any; changes nothing. */
    public Optional<Holder> find(long ino, Lock wanted) throws IOException {
        long mine = session.id();
        return engine.read(tx -> {
            var row = LockRow.parse(wanted.kind(), tx.get(Keys.locks(ino, wanted.kind())));
            for (var other = row.conflict(mine, wanted); other.isPresent(); other = row.conflict(mine, wanted)) {
                if (isAlive(tx, other.get().session(), mine)) {
                    return other.map(held -> holder(held, mine));
                }
                row = row.without(other.get().session());
            }
            return Optional.empty();
        });
    }

    private static Holder holder(Held held, long mine) {
        return new Holder(held.session(), held.session() == mine, held.lock());
    }

    /** A lock as {@link #all} lists it. */
    public record Listed(long ino, long session, Lock lock) {}

    /** Every lock, including those of dead sessions; read in several reads. */
    public List<Listed> all() throws IOException {
        var all = new ArrayList<Listed>();
        var from = Keys.kind('f');
        while (true) {
            var at = from;
            var page = engine.read(tx -> tx.scan(at, Keys.kind('f').afterPrefix(), PAGE));
            for (var row : page) {
                if (!Keys.isLocks(row.key())) {
                    continue;
                }
                long ino = Keys.number(row.key(), 0);
                LockRow.parse(Keys.lockKind(row.key()), row.value()).held()
                        .forEach(held -> all.add(new Listed(ino, held.session(), held.lock())));
            }
            if (page.size() < PAGE) {
                return all;
            }
            from = page.getLast().key().next();
        }
    }

    /** Removes the locks that dead sessions left behind. They block nothing, but they take space. */
    public void sweep() throws IOException {
        var alive = engine.read(Sessions::all).stream().map(Session::id).collect(Collectors.toSet());
        sweepWaits();
        var left = all().stream().filter(listed -> !alive.contains(listed.session()))
                .map(listed -> new Left(listed.ino(), listed.lock().kind(), listed.session())).distinct().toList();
        for (int from = 0; from < left.size(); from += BATCH) {
            var some = left.subList(from, Math.min(from + BATCH, left.size()));
            engine.transactFreeing(tx -> {
                tx.expect(some.stream().flatMap(each -> each.rows()).toList());
                for (var each : some) {
                    var key = Keys.locks(each.ino(), each.kind());
                    byte[] bytes = tx.get(key);
                    if (bytes != null && tx.get(Keys.session(each.session())) == null) {
                        write(tx, key, LockRow.parse(each.kind(), bytes).without(each.session()));
                    }
                }
                return null;
            });
        }
    }

    /** A lock that a dead session left on a file. */
    private record Left(long ino, Lock.Kind kind, long session) {
        Stream<MetaKey> rows() {
            return Stream.of(Keys.locks(ino, kind), Keys.session(session));
        }
    }

    private void sweepWaits() throws IOException {
        for (var from = Keys.lockWaits(); from != null; ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, Keys.lockWaits().afterPrefix(), PAGE));
            engine.transactFreeing(tx -> {
                var alive = tx.getAll(page.stream().map(row -> Keys.session(Keys.lockWaitsSession(row.key()))).toList())
                        .keySet();
                for (var row : page) {
                    if (!alive.contains(Keys.session(Keys.lockWaitsSession(row.key())))) {
                        tx.delete(row.key());
                    }
                }
                return null;
            });
            from = page.size() < PAGE ? null : page.getLast().key().next();
        }
    }

    /** The lock waits of this session, visible to other sessions. */
    public LockWaits waits() {
        return waits;
    }

    private static void write(MetaEngine.Transaction tx, MetaKey key, LockRow row) throws IOException {
        if (row.held().isEmpty()) {
            tx.delete(key);
        } else {
            tx.put(key, row.toBytes());
        }
    }

    private boolean isAlive(MetaEngine.Transaction tx, long other, long mine) throws IOException {
        if (other == mine) {
            return true;
        }
        byte[] row = tx.get(Keys.session(other));
        if (row == null) {
            return false;
        }
        var found = Session.parse(other, row);
        if (gone.test(found)) {
            return false;
        }
        var lease = found.lease();
        if (!lease.isBefore(clock.instant())) {
            silent.remove(other);
            return true;
        }
        var seen = silent.compute(other, (id, before) ->
                before != null && before.lease().equals(lease) ? before : new Silent(lease, System.nanoTime()));
        return System.nanoTime() - seen.nanos() < watch.toNanos();
    }

    /** @throws FsException STALE if others ended this session, NO_LOCKS if there is none */
    private <R extends @Nullable Object> R change(Change<R> change) throws IOException {
        long mine = session.id();
        if (mine == 0) {
            throw new FsException(FsError.NO_LOCKS);
        }
        try {
            return engine.transact(tx -> {
                tx.hold(Keys.session(mine));
                return change.run(tx, mine);
            });
        } catch (HeldKeyMissingException gone) {
            session.wasEnded();
            throw new FsException(FsError.STALE);
        }
    }

    /** Notifies the listener of the session again that it was ended. */
    public void tellEnded() {
        session.wasEnded();
    }

    /** A change of locks as this session. */
    private interface Change<R extends @Nullable Object> {
        R run(MetaEngine.Transaction tx, long mine) throws IOException;
    }
}

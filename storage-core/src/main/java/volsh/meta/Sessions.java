package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FsError;
import volsh.fs.FsException;

/**
 * The sessions that have the volume open. Every change holds the row of its session: once the row is gone, the session
 * can commit nothing more.
 */
public final class Sessions {
    /** How long a session may go without renewing its lease before others may end it. */
    public static final Duration LEASE = Duration.ofSeconds(60);

    public static final MetaKey RETIRED = Keys.setting("retired");
    private static final MetaKey SOLE_WRITER = Keys.setting("sole-writer");
    private static final long RANGE = 1024;
    private static final int RANGES = 64;
    private static final int DOUBLINGS_MAX = 30;
    private static final int PAGE = 500;
    private static final int BATCH = 100;

    private final MetaEngine engine;
    private final InstantSource clock;

    public Sessions(MetaEngine engine, InstantSource clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /** What a session may do. */
    public enum Role {
        READER,
        WRITER,
        /** The only writer: others may open the volume read-only. */
        SOLE_WRITER
    }

    /** Registers a session that may write. */
    public Session open(String host, long pid, String purpose) throws IOException {
        return open(host, pid, purpose, Role.WRITER);
    }

    /** Registers a session of a process without a process mark. */
    public Session open(String host, long pid, String purpose, Role role) throws IOException {
        return open(host, pid, "", purpose, role);
    }

    /**
     * Registers a new session, even on a full disk, because reading and removing need one.
     *
     * @throws FsException STALE if the volume is retired, BUSY if another session is in the way
     */
    public Session open(String host, long pid, String mark, String purpose, Role role) throws IOException {
        if (role == Role.SOLE_WRITER) {
            fenceExpired();
        }
        return engine.transactFreeing(tx -> {
            if (tx.get(RETIRED) != null) {
                throw new FsException(FsError.STALE, "the volume is being destroyed");
            }
            if (role != Role.READER) {
                yieldToSoleWriter(tx);
            }
            if (role == Role.SOLE_WRITER) {
                requireAlone(tx);   // most expired sessions were ended before
            }
            var edit = new Edit(tx, clock.instant(), 0);
            long id = edit.allocate(Keys.NEXT_SESSION, 1);
            var now = clock.instant();
            var session = new Session(id, host, pid, purpose, now, now.plus(LEASE), edit.tick(), List.of(), mark);
            tx.put(Keys.session(id), session.toBytes());
            if (role == Role.SOLE_WRITER) {
                tx.put(SOLE_WRITER, ByteBuffer.allocate(Long.BYTES).putLong(id).array());
            }
            return session;
        });
    }

    /** A session that replaces an ended one; its block numbers start at {@code firstBlock}, above all earlier ones. */
    public record Replacement(Session session, long firstBlock) {}

    /**
     * Registers a session for a process whose session was ended by others. {@code lowWater} is the oldest tick that
     * anything open there has seen: whatever still exists of it is kept.
     *
     * @throws FsException STALE if the volume is retired, BUSY if a sole writer is in the way, or the session was not
     *     ended
     */
    public Replacement replace(Session ended, Role role, long lowWater) throws IOException {
        return engine.transact(tx -> {
            if (tx.get(RETIRED) != null) {
                throw new FsException(FsError.STALE, "the volume is being destroyed");
            }
            if (role == Role.SOLE_WRITER || tx.get(Keys.session(ended.id())) != null) {
                throw new FsException(FsError.BUSY, "session %d cannot be replaced".formatted(ended.id()));
            }
            if (role != Role.READER) {
                yieldToSoleWriter(tx);
            }
            var edit = new Edit(tx, clock.instant(), 0);
            long id = edit.allocate(Keys.NEXT_SESSION, 1);
            var now = clock.instant();
            var session = new Session(id, ended.host(), ended.pid(), ended.purpose(), ended.started(), now.plus(LEASE),
                    Math.min(lowWater, edit.tick()), List.of(), ended.mark());
            tx.put(Keys.session(id), session.toBytes());
            return new Replacement(session, edit.allocate(Keys.NEXT_BLOCK, 0));
        });
    }

    /** Ends an expired sole writer: it could come back and believe itself alone. */
    private void yieldToSoleWriter(MetaEngine.Transaction tx) throws IOException {
        byte[] mark = tx.get(SOLE_WRITER);
        if (mark == null) {
            return;
        }
        long id = ByteBuffer.wrap(mark).getLong();
        byte[] row = tx.get(Keys.session(id));
        if (row != null && !Session.parse(id, row).lease().isBefore(clock.instant())) {
            var writer = Session.parse(id, row);
            throw new FsException(FsError.BUSY, "the volume is in use by an exclusive writer: %s, process %d on %s"
                    .formatted(writer.purpose(), writer.pid(), writer.host()));
        }
        tx.delete(Keys.session(id));
        tx.delete(SOLE_WRITER);
    }

    /** A row does not say whether its session only reads: every session that has not expired is in the way. */
    private void requireAlone(MetaEngine.Transaction tx) throws IOException {
        var other = alive(tx, clock.instant());
        if (other.isPresent()) {
            throw new FsException(FsError.BUSY, "the volume is in use: %s, process %d on %s".formatted(
                    other.get().purpose(), other.get().pid(), other.get().host()));
        }
        for (var silent : all(tx)) {
            tx.delete(Keys.session(silent.id()));
        }
    }

    /** A session with a valid lease, if there is one; stops at the first. */
    public static Optional<Session> alive(MetaEngine.Transaction tx, Instant now) throws IOException {
        for (var from = Keys.kind('s'); from != null; ) {
            var page = page(tx, from);
            var alive = page.stream().filter(session -> !session.lease().isBefore(now)).findFirst();
            if (alive.isPresent()) {
                return alive;
            }
            from = page.size() < PAGE ? null : Keys.session(page.getLast().id()).next();
        }
        return Optional.empty();
    }

    /**
     * Extends the lease; states before {@code lowWater} are no longer needed.
     * @throws FsException STALE if it was fenced
     */
    public Session renew(Session session, long lowWater) throws IOException {
        return engine.transactFreeing(tx -> {
            var renewed = current(tx, session.id()).renewed(clock.instant().plus(LEASE), lowWater);
            tx.put(Keys.session(session.id()), renewed.toBytes());
            return renewed;
        });
    }

    /**
     * Takes a new range of block ids for the session, and makes it durable before any id is used: if it were forgotten,
     * the ids would be assigned again while the store has blocks of that name.
     */
    Session.Range takeBlocks(long session) throws IOException {
        var taken = engine.transact(tx -> {
            var edit = new Edit(tx, clock.instant(), session);
            var mine = current(tx, session);
            // Ranges of alternating writers do not join: they get longer, so that the row, which lists them, stays
            // short.
            long length = RANGE << Math.min(DOUBLINGS_MAX, mine.blocks().size() / RANGES);
            long first = edit.allocate(Keys.NEXT_BLOCK, length);
            var range = new Session.Range(first, first + length);
            tx.put(Keys.session(session), mine.with(range).toBytes());
            return range;
        });
        engine.sync();
        return taken;
    }

    /** Ends a session: an orderly close, or a fence against a session whose lease has expired. */
    public void end(long session) throws IOException {
        engine.transactFreeing(tx -> {
            tx.delete(Keys.session(session));
            return null;
        });
    }

    /** Ends a session unless it has renewed its lease since it was read. Returns whether it was ended. */
    public boolean endIfSilent(Session read) throws IOException {
        return !engine.transactFreeing(tx -> endSilent(tx, List.of(read))).isEmpty();
    }

    private static List<Session> endSilent(MetaEngine.Transaction tx, List<Session> read) throws IOException {
        var ended = new ArrayList<Session>();
        for (var session : read) {
            byte[] row = tx.get(Keys.session(session.id()));
            if (row != null && Session.parse(session.id(), row).lease().equals(session.lease())) {
                tx.delete(Keys.session(session.id()));
                ended.add(session);
            }
        }
        return ended;
    }

    /** All sessions, including expired ones. */
    public List<Session> list() throws IOException {
        return engine.read(Sessions::all);
    }

    /** Ends the sessions whose lease has expired and returns them. */
    public List<Session> fenceExpired() throws IOException {
        var silent = list().stream().filter(session -> session.lease().isBefore(clock.instant())).toList();
        var ended = new ArrayList<Session>();
        for (int from = 0; from < silent.size(); from += BATCH) {
            var some = silent.subList(from, Math.min(from + BATCH, silent.size()));
            ended.addAll(engine.transactFreeing(tx -> endSilent(tx, some)));
        }
        return ended;
    }

    /**
     * Ends all sessions and admits no new one, for good. Unless forced, only if no session is alive.
     *
     * @return the live sessions in the way; empty if the volume is now retired
     */
    public List<Session> retire(boolean force) throws IOException {
        while (true) {
            var alive = engine.transactFreeing(tx -> retireSome(tx, force));
            if (alive.isPresent()) {
                return alive.get();
            }
        }
    }

    /**
     * Empty if there are more sessions than one transaction can end: if no live session objects, new ones are refused
     * from then on, and the next call ends more.
     */
    private Optional<List<Session>> retireSome(MetaEngine.Transaction tx, boolean force) throws IOException {
        var sessions = page(tx, Keys.kind('s'));
        var alive = sessions.stream().filter(session -> !session.lease().isBefore(clock.instant())).toList();
        if (!alive.isEmpty() && !force) {
            return Optional.of(alive);
        }
        for (var session : sessions) {
            tx.delete(Keys.session(session.id()));
        }
        boolean last = sessions.size() < PAGE;
        if (last || force) {
            tx.put(RETIRED, new byte[] {1});
        }
        return last ? Optional.of(List.of()) : Optional.empty();
    }

    /** The oldest tick any session may still read. */
    static long lowWater(MetaEngine.Transaction tx) throws IOException {
        long lowest = Long.MAX_VALUE;
        for (var session : all(tx)) {
            lowest = Math.min(lowest, session.lowWater());
        }
        return lowest == Long.MAX_VALUE ? withoutReaders(tx) : lowest;
    }

    /** The low-water without any session. What is removed in a kept tick stays until the tick is over. */
    private static long withoutReaders(MetaEngine.Transaction tx) throws IOException {
        return Retained.parse(tx.get(Keys.RETAINED)).window() == 0 ? Long.MAX_VALUE : Moments.running(tx);
    }

    private static Session current(MetaEngine.Transaction tx, long id) throws IOException {
        byte[] row = tx.get(Keys.session(id));
        if (row == null) {
            throw new FsException(FsError.STALE);
        }
        return Session.parse(id, row);
    }

    /**
     * All sessions, as a transaction sees them. None may be left out, because it would lose what it reads; there may be
     * more than a writing transaction has room for.
     */
    public static List<Session> all(MetaEngine.Transaction tx) throws IOException {
        var sessions = new ArrayList<Session>();
        for (var from = Keys.kind('s'); from != null; ) {
            var page = page(tx, from);
            sessions.addAll(page);
            from = page.size() < PAGE ? null : Keys.session(page.getLast().id()).next();
        }
        return sessions;
    }

    private static List<Session> page(MetaEngine.Transaction tx, MetaKey from) throws IOException {
        var sessions = new ArrayList<Session>();
        for (var row : tx.scan(from, Keys.kind('s').afterPrefix(), PAGE)) {
            sessions.add(Session.parse(Keys.number(row.key(), 0), row.value()));
        }
        return sessions;
    }
}

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

/** Who has the volume open. Every change holds the row of its session: once the row is gone, nothing of it commits any more. */
public final class Sessions {
    /** How long a session may be silent before others may end it. */
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
        /** The only one that writes: others may open the volume to read it. */
        SOLE_WRITER
    }

    /** Registers a session that may write. */
    public Session open(String host, long pid, String purpose) throws IOException {
        return open(host, pid, purpose, Role.WRITER);
    }

    /** Registers a session of a process of which nothing more is known. */
    public Session open(String host, long pid, String purpose, Role role) throws IOException {
        return open(host, pid, "", purpose, role);
    }

    /**
     * Registers a new session: also on a full disk, because reading and removing need one.
     *
     * @throws FsException STALE if the volume is retired, BUSY if another is in the way
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
                requireAlone(tx);   // most of those that are silent were ended before
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

    /** A session in place of one that was ended; the numbers of its blocks are from {@code firstBlock} on, those of earlier ones below. */
    public record Replacement(Session session, long firstBlock) {}

    /**
     * Registers a session for a process whose session was ended by others. {@code lowWater} is the oldest tick that something open there has seen: what of that is still
     * there stays.
     *
     * @throws FsException STALE if the volume is retired, BUSY if a sole writer is in the way, or the session was not ended
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
            var session = new Session(id, ended.host(), ended.pid(), ended.purpose(), ended.started(), now.plus(LEASE), Math.min(lowWater, edit.tick()), List.of(), ended.mark());
            tx.put(Keys.session(id), session.toBytes());
            return new Replacement(session, edit.allocate(Keys.NEXT_BLOCK, 0));
        });
    }

    /** One that has been silent for too long is ended: it could come back and believe itself alone. */
    private void yieldToSoleWriter(MetaEngine.Transaction tx) throws IOException {
        byte[] mark = tx.get(SOLE_WRITER);
        if (mark == null) {
            return;
        }
        long id = ByteBuffer.wrap(mark).getLong();
        byte[] row = tx.get(Keys.session(id));
        if (row != null && !Session.parse(id, row).lease().isBefore(clock.instant())) {
            var writer = Session.parse(id, row);
            throw new FsException(FsError.BUSY, "it is open as the only writer: %s, process %d on %s".formatted(writer.purpose(), writer.pid(), writer.host()));
        }
        tx.delete(Keys.session(id));
        tx.delete(SOLE_WRITER);
    }

    /** Whether another session is one that reads its row does not say: all but expired ones are in the way. */
    private void requireAlone(MetaEngine.Transaction tx) throws IOException {
        var other = alive(tx, clock.instant());
        if (other.isPresent()) {
            throw new FsException(FsError.BUSY, "others have it open: %s, process %d on %s".formatted(
                    other.get().purpose(), other.get().pid(), other.get().host()));
        }
        for (var silent : all(tx)) {
            tx.delete(Keys.session(silent.id()));
        }
    }

    /** One that has the volume open and was heard of in time, if there is one; no more is looked at then. */
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

    /** Extends the lease; states before {@code lowWater} are no longer needed. @throws FsException STALE if it was fenced */
    public Session renew(Session session, long lowWater) throws IOException {
        return engine.transactFreeing(tx -> {
            var renewed = current(tx, session.id()).renewed(clock.instant().plus(LEASE), lowWater);
            tx.put(Keys.session(session.id()), renewed.toBytes());
            return renewed;
        });
    }

    /**
     * Takes a new range of block ids for the session, and lets it survive power loss before any id is used: were it
     * forgotten, the ids would be given out again while the store has blocks of that name.
     */
    Session.Range takeBlocks(long session) throws IOException {
        var taken = engine.transact(tx -> {
            var edit = new Edit(tx, clock.instant(), session);
            var mine = current(tx, session);
            // Ranges of writers that take turns do not join: they get longer, so that the row, which lists them, stays short.
            long length = RANGE << Math.min(DOUBLINGS_MAX, mine.blocks().size() / RANGES);
            long first = edit.allocate(Keys.NEXT_BLOCK, length);
            var range = new Session.Range(first, first + length);
            tx.put(Keys.session(session), mine.with(range).toBytes());
            return range;
        });
        engine.sync();
        return taken;
    }

    /** Ends a session: an orderly good-bye, or a fence against one whose lease has passed. */
    public void end(long session) throws IOException {
        engine.transactFreeing(tx -> {
            tx.delete(Keys.session(session));
            return null;
        });
    }

    /** Ends a session unless it was heard of since this was read; whether it did. */
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

    /** Everybody who has the volume open, the silent ones included. */
    public List<Session> list() throws IOException {
        return engine.read(Sessions::all);
    }

    /** Ends the sessions whose lease has passed; returns them. */
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
     * Ends all sessions and lets no new one in, for good. Unless forced it does so only when no session is alive.
     *
     * @return the sessions that are alive and in the way; empty if the volume is retired now
     */
    public List<Session> retire(boolean force) throws IOException {
        while (true) {
            var alive = engine.transactFreeing(tx -> retireSome(tx, force));
            if (alive.isPresent()) {
                return alive.get();
            }
        }
    }

    /** Empty if there are more sessions than a transaction ends: then no new one is let in, if nobody may object, and the next ends others. */
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

    /** Nobody reads anything; but what goes in a tick that is kept stays until the tick is over, so that its end can be seen. */
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
     * Everybody who has the volume open, as a transaction sees it: all of them, for what is left out would lose what it reads. There may be
     * more than a transaction that writes has room for.
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

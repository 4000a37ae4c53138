package volsh.volume;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import volsh.assembly.DeadSessions;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.engine.MetaEngine;
import volsh.inventory.Superblock;
import volsh.meta.FileLocks;
import volsh.meta.Session;
import volsh.meta.Sessions;

/** The sessions that have a volume open, the files they have locked, and the means to end one. Close it. */
public final class SessionControl implements AutoCloseable {
    private final String volume;
    private final MetaEngine engine;
    private final DeadSessions dead;
    private final InstantSource clock;

    /** Takes the engine over. */
    SessionControl(String volume, MetaEngine engine, DeadSessions dead, InstantSource clock) {
        this.dead = dead;
        this.volume = volume;
        this.engine = engine;
        this.clock = clock;
    }

    /** Whether the process of a session lives: DEAD if it was killed on this host, SILENT if its lease has expired. */
    public enum State { ALIVE, SILENT, DEAD }

    /** A session, and what it has locked. */
    public record Open(Session session, State state, List<FileLocks.Listed> locks) {
        public Open {
            locks = List.copyOf(locks);
        }
    }

    public List<Open> list() throws IOException {
        var locks = locks().all();
        return sessions().list().stream()
                .map(session -> new Open(session, state(session),
                        locks.stream().filter(lock -> lock.session() == session.id()).toList()))
                .toList();
    }

    private State state(Session session) {
        return dead.isDead(session) ? State.DEAD : session.lease().isBefore(clock.instant()) ? State.SILENT
                : State.ALIVE;
    }

    /**
     * The session that {@link #fence} would end.
     * @throws Refusal NOT_FOUND, or BUSY if it is alive and this is not forced
     */
    public Open checkFence(long id, boolean force) throws IOException {
        var found = list().stream().filter(open -> open.session().id() == id).findFirst()
                .orElseThrow(() -> new Refusal(Reason.NOT_FOUND, "volume '%s' has no session %d".formatted(volume, id),
                        "volsh volume sessions " + volume));
        if (found.state() == State.ALIVE && !force) {
            var session = found.session();
            throw new Refusal(Reason.BUSY, "session %d is alive: %s, process %d on %s".formatted(id, session.purpose(),
                    session.pid(), session.host()), "end it there; what --force would do, if it is dead for certain:"
                    + " volsh volume sessions %s --fence %d --force --dry-run".formatted(volume, id));
        }
        return found;
    }

    /** Ends a session: nothing of it commits any more, and its locks are free. */
    public Open fence(long id, boolean force) throws IOException {
        var found = checkFence(id, force);
        sessions().end(id);
        locks().sweep();
        return found;
    }

    private Sessions sessions() {
        return new Superblock(engine, clock).sessions();
    }

    private FileLocks locks() {
        return new FileLocks(engine, clock, 0);
    }

    @Override
    public void close() throws IOException {
        engine.close();
    }
}

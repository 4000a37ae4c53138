package volsh.volume;

import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Predicate;
import volsh.care.SessionLease;
import volsh.catalog.Access;
import volsh.fs.OtherWriters;
import volsh.inventory.Superblock;
import volsh.meta.CurrentSession;
import volsh.meta.FileLocks;
import volsh.meta.Namespace;
import volsh.meta.Quotas;
import volsh.meta.Session;
import volsh.ship.RecordingEngine;

/**
 * The metadata of an open volume, as its session sees it.
 *
 * @param clock dates what changes
 * @param lease keeps the session alive; empty for a volume that is open only for its names
 * @param past  the past state that is read, if it is one
 */
record OpenMetadata(
        RecordingEngine engine, InstantSource clock, Access access, CurrentSession session,
        Optional<SessionLease> lease, Optional<PastState> past, Namespace names, OtherWriters others) {

    /** {@code killed} tells which sessions are of processes that were killed: their locks are free. */
    static OpenMetadata of(
            String volume, RecordingEngine engine, InstantSource clock, Access access, Optional<SessionLease> lease,
            Optional<PastState> past, Predicate<Session> killed, OtherWriters others) {
        var session = new CurrentSession(engine, clock, lease.map(one -> one.session().id()).orElse(0L)).of(volume);
        var names = new Namespace(past.isPresent() ? past.get().engine() : engine, clock,
                access.writes() ? session : new CurrentSession(engine, clock, 0),
                new FileLocks(engine, clock, session, killed));
        return new OpenMetadata(engine, clock, access, session, lease, past, names, others);
    }

    Superblock superblock() {
        return new Superblock(engine, clock);
    }

    /** Those of a volume that is only read can only be looked at. */
    Quotas quotas() {
        return new Quotas(engine, clock, access.writes() ? session : new CurrentSession(engine, clock, 0));
    }
}

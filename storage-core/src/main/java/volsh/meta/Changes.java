package volsh.meta;

import java.io.IOException;
import java.time.InstantSource;
import volsh.fs.FsError;
import volsh.fs.FsException;

/** Runs reads and changes of the name space for one session, and says in file system words why one failed. */
final class Changes {
    private final MetaEngine engine;
    private final InstantSource clock;
    private final long session;

    Changes(MetaEngine engine, InstantSource clock, long session) {
        this.engine = engine;
        this.clock = clock;
        this.session = session;
    }

    interface Change<R> {
        R run(Edit edit) throws IOException;
    }

    interface Look<R> {
        R run(View view) throws IOException;
    }

    <R> R look(Look<R> look) throws IOException {
        return engine.read(tx -> look.run(new View(tx)));
    }

    /** @throws FsException READ_ONLY without a session, STALE if it was fenced, NO_ENTRY if a held directory vanished */
    <R> R change(Change<R> change) throws IOException {
        if (session == 0) {
            throw new FsException(FsError.READ_ONLY);
        }
        var mine = Keys.session(session);
        try {
            return engine.transact(tx -> {
                var edit = new Edit(tx, clock.instant(), session);
                tx.hold(mine);
                R result = change.run(edit);
                edit.uses().settle();
                return result;
            });
        } catch (HeldKeyMissingException gone) {
            throw new FsException(mine.equals(gone.key()) ? FsError.STALE : FsError.NO_ENTRY);
        }
    }

    long session() {
        return session;
    }

    InstantSource clock() {
        return clock;
    }
}

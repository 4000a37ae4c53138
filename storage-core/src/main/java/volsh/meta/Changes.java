package volsh.meta;

import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import org.jspecify.annotations.Nullable;
import volsh.engine.HeldKeyMissingException;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.RequestClock;
import volsh.engine.StateMark;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;
import volsh.quota.Account;
import volsh.quota.Allowances;
import volsh.quota.Charge;
import volsh.quota.QuotaReachedException;

/** Runs reads and changes of the name space for one session, and translates engine failures into file system errors. */
public final class Changes {
    /** Attempts of a change on a full disk. */
    private static final int ATTEMPTS = 3;

    private final MetaEngine engine;
    private final InstantSource clock;
    private final CurrentSession session;
    private volatile Runnable changedHere = () -> {};

    public Changes(MetaEngine engine, InstantSource clock, long session) {
        this(engine, clock, new CurrentSession(engine, clock, session));
    }

    /** Changes of a session that may be replaced. */
    Changes(MetaEngine engine, InstantSource clock, CurrentSession session) {
        this.engine = engine;
        this.clock = clock;
        this.session = session;
    }

    public interface Change<R extends @Nullable Object> {
        R run(Edit edit) throws IOException;
    }

    public interface Look<R extends @Nullable Object> {
        R run(View view) throws IOException;
    }

    public <R extends @Nullable Object> R look(Look<R> look) throws IOException {
        return engine.read(tx -> look.run(new View(tx)));
    }

    @Nullable StateMark mark() throws IOException {
        return engine.stateMark();
    }

    /**
     * If the disk of the metadata is full, removed data is reclaimed and the change retried before this is refused.
     *
     * @throws FsException READ_ONLY without a session, QUOTA, STALE if it was fenced, NO_ENTRY if a held directory
     *     vanished
     */
    public <R extends @Nullable Object> R change(Change<R> change) throws IOException {
        return makingRoom(change, engine::transact);
    }

    /** Like {@link #change}, for a change that frees space in the end, see {@link MetaEngine#transactRemoving}. */
    <R extends @Nullable Object> R remove(Change<R> change) throws IOException {
        return makingRoom(change, engine::transactRemoving);
    }

    /** For a change that no program can see: bytes, names and attributes of files stay as they are. */
    <R extends @Nullable Object> R restore(Change<R> change) throws IOException {
        return makingRoom(change, engine::transact, false);
    }

    private <R extends @Nullable Object> R makingRoom(Change<R> change, Transact<R> transact) throws IOException {
        return makingRoom(change, transact, true);
    }

    private <R extends @Nullable Object> R makingRoom(Change<R> change, Transact<R> transact, boolean visible)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return change(change, transact, visible);
            } catch (NoSpaceException full) {
                if (attempt == ATTEMPTS || !hasMadeRoom(full)) {
                    throw full;
                }
            }
        }
    }

    /** Reclaims space. If that fails too, the full disk stays the failure to report. */
    private boolean hasMadeRoom(NoSpaceException full) {
        try {
            return session.makesRoom();
        } catch (IOException | RuntimeException failed) {
            full.addSuppressed(failed);
            return false;
        }
    }

    /** For a change that clears away removed rows, which may be kept as history. */
    <R extends @Nullable Object> R clear(Change<R> change) throws IOException {
        return change(change, engine::transactRemoving, true);
    }

    /** For a change that reclaims removed data: other changes may be waiting for the space. */
    public <R extends @Nullable Object> R free(Change<R> change) throws IOException {
        return change(change, engine::transactFreeing, true);
    }

    /** How a transaction is run. */
    private interface Transact<R extends @Nullable Object> {
        R run(MetaEngine.Work<R> work) throws IOException;
    }

    private <R extends @Nullable Object> R change(Change<R> change, Transact<R> transact, boolean visible)
            throws IOException {
        var term = session.term();
        if (term.id() == 0) {
            throw new FsException(FsError.READ_ONLY);
        }
        term.allowances().refresh();
        while (true) {
            try {
                R answer = changeOnce(term, change, transact);
                if (visible && !RequestClock.isRunning()) {
                    changedHere.run();
                }
                return answer;
            } catch (Allowances.ShortException more) {
                reserve(term, more);
            }
        }
    }

    private void reserve(CurrentSession.Term term, Allowances.ShortException more) throws IOException {
        try {
            term.allowances().reserve(more);
        } catch (QuotaReachedException reached) {
            var named = session.named(reached);
            throw new FsException(FsError.QUOTA, "%s: %s".formatted(FsError.QUOTA.text(), named.getMessage()), named);
        }
    }

    private <R extends @Nullable Object> R changeOnce(CurrentSession.Term term, Change<R> change, Transact<R> transact)
            throws IOException {
        var mine = Keys.session(term.id());
        var allowances = term.allowances();
        var taken = new HashMap<Account, Charge>();
        boolean done = false;
        try {
            R answer = transact.run(tx -> {
                allowances.giveBack(taken);   // of a run that came to nothing
                var edit = new Edit(tx, clock.instant(), term.id(), term::requireOwn);
                tx.hold(mine);
                R result = change.run(edit);
                edit.uses().settle();
                allowances.take(tx, edit.charges(), taken);
                return result;
            });
            done = true;
            return answer;
        } catch (HeldKeyMissingException gone) {
            if (!mine.equals(gone.key())) {
                throw new FsException(FsError.NO_ENTRY);
            }
            session.wasEnded();
            throw new FsException(FsError.STALE);
        } finally {
            if (!done) {
                allowances.giveBack(taken);
            }
        }
    }

    /** Calls this after changes that were not made for a request of a program, on the thread that made them. */
    void onChangedHere(Runnable listener) {
        changedHere = listener;
    }

    CurrentSession session() {
        return session;
    }

    InstantSource clock() {
        return clock;
    }
}

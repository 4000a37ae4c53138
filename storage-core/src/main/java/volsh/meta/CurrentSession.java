package volsh.meta;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import volsh.engine.MetaEngine;
import volsh.fs.BlockRow;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.ImportedBlock;
import volsh.quota.Account;
import volsh.quota.Allowances;
import volsh.quota.QuotaReachedException;

/**
 * The session under which an open volume writes. A session that others have ended can be {@link #replace replaced} by a
 * new one. A change belongs to the session that was current when it began: it holds that session's row, uses quota
 * reserved for it, and introduces no block whose number an earlier session took, because that block may have been
 * collected as garbage in between. Thread-safe.
 */
public final class CurrentSession {
    private static final Duration PATHS_AGE = Duration.ofMinutes(1);

    private final MetaEngine engine;
    private final InstantSource clock;
    private volatile Term term;
    private volatile Runnable listener = () -> {};
    private volatile Room room = () -> false;
    private volatile String volume = "";
    private final Map<Long, DirectoryPath> limited = new ConcurrentHashMap<>();   // directories with a quota

    /** {@code id} is 0 for a read-only session. */
    public CurrentSession(MetaEngine engine, InstantSource clock, long id) {
        this.engine = engine;
        this.clock = clock;
        this.term = new Term(id, 0);
    }

    /** State of one session: numbers for new blocks, from {@code firstBlock} on, and its quota reservations. */
    final class Term {
        private final long id;
        private final long firstBlock;
        private final Allowances allowances;
        private final Ids blocks = new Ids(this::takeBlocks);

        private Term(long id, long firstBlock) {
            this.id = id;
            this.firstBlock = firstBlock;
            this.allowances = new Allowances(engine, clock, id);
        }

        long id() {
            return id;
        }

        Allowances allowances() {
            return allowances;
        }

        private Session.Range takeBlocks() throws IOException {
            try {
                return new Sessions(engine, clock).takeBlocks(id);
            } catch (FsException refused) {
                if (refused.error() == FsError.STALE) {
                    wasEnded();
                }
                throw refused;
            }
        }

        /** @throws FsException STALE if an earlier session took the number of this block */
        void requireOwn(BlockRow block) throws FsException {
            if (ImportedBlock.number(block.id()) < firstBlock) {
                throw new FsException(FsError.STALE, ("block %016x was stored by a session that has since been ended; "
                        + "write the data again").formatted(block.id()));
            }
        }
    }

    /** The number of the session; 0 if read-only. */
    public long id() {
        return term.id;
    }

    Term term() {
        return term;
    }

    long newBlock() throws IOException {
        return term.blocks.next();
    }

    /** The path of a directory as it was at a time. */
    private record DirectoryPath(String path, Instant looked) {}

    /** Sets the name of the volume, for messages. */
    public CurrentSession of(String name) {
        volume = name;
        return this;
    }

    /** With the names of the volume and the directory. A path is looked up rarely: it may take a long scan. */
    QuotaReachedException named(QuotaReachedException reached) {
        if (reached.rule().account().kind() != Account.Kind.PROJECT) {
            return reached.named(volume, "");
        }
        long directory = reached.rule().directory();
        var now = clock.instant();
        var known = limited.get(directory);
        if (known == null || known.looked().plus(PATHS_AGE).isBefore(now)) {
            known = new DirectoryPath(path(directory), now);
            limited.put(directory, known);
        }
        return reached.named(volume, known.path());
    }

    /** Empty if it cannot be found out. */
    private String path(long directory) {
        try {
            return new Quotas(engine, clock, 0).path(directory);
        } catch (IOException unknown) {
            return "";
        }
    }

    /** Makes later changes run as the new session. */
    public void replace(Sessions.Replacement next) {
        term = new Term(next.session().id(), next.firstBlock());
    }

    /** Calls {@code listener} whenever a change finds that the session was ended, on the thread of that change. */
    public void onEnded(Runnable listener) {
        this.listener = listener;
    }

    /** Reclaims removed data when the metadata has no space left. */
    public interface Room {
        /** Returns whether anything was reclaimed. */
        boolean make() throws IOException;
    }

    /** Calls {@code means} whenever a change runs out of space, on the thread of that change, which is then retried. */
    public void onFull(Room means) {
        room = means;
    }

    boolean makesRoom() throws IOException {
        return room.make();
    }

    void wasEnded() {
        listener.run();
    }
}

package volsh.care;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import volsh.catalog.Access;
import volsh.catalog.Records;
import volsh.catalog.VolumeSpec;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Unwritten;
import volsh.inventory.Superblock;
import volsh.meta.CurrentSession;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.ship.RecordingEngine;
import volsh.vfs.Vfs;

/**
 * Gives a volume whose session was ended by others a new session, unless a program could then rely on something that no
 * longer holds (decision 0048). Unwritten bytes that were written over a file as it still is are committed as the new
 * session; others are dropped before it is used, and their writers are told.
 */
public final class SessionRevival {
    private final VolumeSpec opened;
    private final Access access;
    private final RecordingEngine engine;
    private final Superblock superblock;
    private final CurrentSession session;
    private final Vfs vfs;
    private final Consumer<Revived> listener;

    public SessionRevival(Access access, RecordingEngine engine, Superblock superblock, CurrentSession session, Vfs vfs,
            Consumer<Revived> listener) throws IOException {
        this.access = access;
        this.engine = engine;
        this.superblock = superblock;
        this.session = session;
        this.vfs = vfs;
        this.listener = listener;
        this.opened = stored();
    }

    /**
     * What happened: the session that was ended, the one in its place, and files whose unwritten bytes were dropped.
     */
    public record Revived(Session ended, Session now, List<Unwritten> lost) {
        public Revived {
            lost = List.copyOf(lost);
        }
    }

    /**
     * Opens a session in place of this one; which. {@code lowWater} is the oldest tick that something open here has
     * seen.
     *
     * @throws FsException STALE that says why it cannot be, if it cannot
     */
    Session run(Session ended, long lowWater) throws IOException {
        requireUnlocked();
        var next = replacement(ended, lowWater);
        Revived revived;
        try {
            requireSame();
            engine.refresh();   // shipping may have been switched on while there was no session
            revived = new Revived(ended, next.session(), vfs.unwritten().dropConflicting());
        } catch (IOException | RuntimeException failed) {
            superblock.sessions().end(next.session().id());
            throw failed;
        }
        session.replace(next);
        vfs.locking().sessionReplaced();
        listener.accept(revived);
        return next.session();
    }

    private Sessions.Replacement replacement(Session ended, long lowWater) throws IOException {
        try {
            return superblock.sessions().replace(ended, access.writes() ? Sessions.Role.WRITER : Sessions.Role.READER,
                    lowWater);
        } catch (FsException refused) {
            throw new FsException(FsError.STALE, refused.getMessage(), refused);
        }
    }

    /** A program that holds a lock relies on being alone: nothing is changed here until it has let go. */
    private void requireUnlocked() throws FsException {
        vfs.locking().sessionEnded();
        var holders = vfs.locking().holders();
        if (!holders.isEmpty()) {
            throw new FsException(FsError.STALE,
                    "the session comes back when processes here release locks that others may hold by now: process "
                            + holders.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        }
    }

    private VolumeSpec stored() throws IOException {
        return Records.volume(superblock.setting(Records.SPEC)
                .orElseThrow(() -> new FsException(FsError.STALE, "the volume no longer exists")));
    }

    /** What can be changed only while there is no session, and is known here as it was when the volume was opened. */
    private void requireSame() throws IOException {
        var now = stored();
        if (!now.id().equals(opened.id()) || !now.prefix().equals(opened.prefix())
                || now.shipsMetadata() != opened.shipsMetadata()
                || now.spread().isNone() != opened.spread().isNone()) {
            throw new FsException(FsError.STALE,
                    "the stores of the volume or the shipping of its metadata changed meanwhile: mount it again");
        }
    }
}

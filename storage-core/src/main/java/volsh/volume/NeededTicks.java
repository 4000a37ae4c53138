package volsh.volume;

import java.io.IOException;
import java.time.InstantSource;
import volsh.care.SessionLease;
import volsh.engine.MetaEngine;
import volsh.meta.Reclaim;
import volsh.meta.Sessions;
import volsh.vfs.Vfs;

/** The oldest tick that an open volume still needs: what died before it may be deleted. */
final class NeededTicks {
    private final MetaEngine engine;
    private final InstantSource clock;
    private final SessionLease lease;
    private final Vfs vfs;
    private volatile long held = Long.MAX_VALUE;   // by copies that are being made

    NeededTicks(MetaEngine engine, InstantSource clock, SessionLease lease, Vfs vfs) {
        this.engine = engine;
        this.clock = clock;
        this.lease = lease;
        this.vfs = vfs;
    }

    /** Keeps what the session can see now until the volume is closed: a copy waits as an unlinked file does. */
    void hold() {
        held = Math.min(held, lease.session().lowWater());
    }

    /** The oldest tick that is needed while this one runs. */
    long oldest(long running) {
        return Math.min(held, neededByFiles(running));
    }

    /**
     * Open files let go of what others deleted: at once if something waits to be deleted, else now and then, because
     * other sessions may see what waits and this one does not. If the metadata does not answer, they hold on to it.
     */
    private long neededByFiles(long running) {
        try {
            boolean waits = new Reclaim(engine, clock, lease.session().id()).hasMore();
            return vfs.openFiles().refresh(running, waits ? running : running - Sessions.LEASE.toSeconds());
        } catch (IOException | RuntimeException unknown) {
            return vfs.openFiles().advance(running);
        }
    }
}

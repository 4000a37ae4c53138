package volsh.fuse.jnr;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import volsh.fuse.Handles;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;
import volsh.fuse.MountPoint;
import volsh.fuse.Native;
import volsh.fuse.OperationStats;
import volsh.fuse.ServedMount;
import volsh.fuse.Space;
import volsh.vfs.Vfs;

/** A volume mounted through libfuse 2. The kernel checks permissions ({@code default_permissions}). */
public final class JnrMount extends ServedMount {
    private final JnrSession session;
    private final JnrWorkers workers;
    private final OperationTable operations;   // libfuse calls into it while the session lives

    private JnrMount(
            MountPoint point, JnrSession session, Handles handles, JnrWorkers workers, OperationStats stats,
            OperationTable operations) {
        super(point, handles, stats, session.descriptor());
        this.session = session;
        this.workers = workers;
        this.operations = operations;
    }

    /** Mounts and starts serving. @throws IOException if libfuse 2 is missing or cannot mount */
    public static JnrMount start(Vfs vfs, MountOptions options, Space.Source space, InstantSource clock)
            throws IOException {
        if (options.has(MountFlag.WRITEBACK_CACHE)) {
            throw new IOException("libfuse 2 does not support a writeback cache: use --transport kernel");
        }
        var library = LibFuse.load();
        var path = options.mountPoint().toRealPath();
        var handles = new Handles();
        var nodes = new OpenNodes(handles);
        var stats = new OperationStats(Operation.names());
        var operations = new OperationTable(new Answers(stats), vfs, options, space, clock, handles, nodes, library);
        wakeable();
        var session = JnrSession.start(library, path, options, operations);
        var point = located(path, session);
        var workers = new JnrWorkers(session, nodes, options.threads());
        workers.start();
        return new JnrMount(point, session, handles, workers, stats, operations);
    }

    private static MountPoint located(Path path, JnrSession session) throws IOException {
        try {
            return MountPoint.at(path);
        } catch (IOException failed) {
            MountPoint.detach(path);
            session.destroy();
            throw failed;
        }
    }

    private static void wakeable() {
        try (var arena = Arena.ofConfined()) {
            new Native(arena).wakeable();
        }
    }

    @Override
    protected void await(MountPoint gone) throws InterruptedException {
        workers.await(gone);
    }

    @Override
    protected boolean stop(Duration longest) throws InterruptedException {
        try {
            return workers.stop(longest);
        } finally {
            Reference.reachabilityFence(operations);
        }
    }

    /** libfuse's resources are released only if no thread can still be in it. */
    @Override
    protected void release() {
        try {
            session.destroy();
        } finally {
            Reference.reachabilityFence(operations);
        }
    }
}

package volsh.fuse.jnr;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import volsh.fs.FsException;
import volsh.fuse.Handles;
import volsh.fuse.Mount;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;
import volsh.fuse.MountPoint;
import volsh.fuse.Native;
import volsh.fuse.OperationStats;
import volsh.fuse.Space;
import volsh.vfs.Vfs;

/** A volume mounted through libfuse 2. The kernel checks permissions ({@code default_permissions}). */
public final class JnrMount implements Mount {
    private static final Duration STOP = Duration.ofSeconds(1);

    private final MountPoint point;
    private final Session session;
    private final Handles handles;
    private final Workers workers;
    private final OperationStats stats;
    private final OperationTable operations;   // libfuse calls into it while the session lives
    private boolean closed;

    private JnrMount(
            MountPoint point, Session session, Handles handles, Workers workers, OperationStats stats, OperationTable operations) {
        this.point = point;
        this.session = session;
        this.handles = handles;
        this.workers = workers;
        this.stats = stats;
        this.operations = operations;
    }

    /** Mounts and starts serving. @throws IOException if libfuse 2 is not there or cannot mount */
    public static JnrMount start(Vfs vfs, MountOptions options, Space.Source space, InstantSource clock) throws IOException {
        if (options.has(MountFlag.WRITEBACK_CACHE)) {
            throw new IOException("libfuse 2 has no writeback cache: use the kernel transport");
        }
        var library = LibFuse.load();
        var path = options.mountPoint().toRealPath();
        var handles = new Handles();
        var nodes = new OpenNodes(handles);
        var stats = new OperationStats(Operation.names());
        var operations = new OperationTable(new Answers(stats), vfs, options, space, clock, handles, nodes, library);
        wakeable();
        var session = Session.start(library, path, options, operations);
        var point = located(path, session);
        var workers = new Workers(session, nodes, options.threads());
        workers.start();
        return new JnrMount(point, session, handles, workers, stats, operations);
    }

    private static MountPoint located(Path path, Session session) throws IOException {
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
    public void await() throws InterruptedException {
        workers.await(point);
    }

    @Override
    public OperationStats stats() {
        return stats;
    }

    @Override
    public void unmount(boolean lazy) throws FsException {
        point.unmount(lazy);
    }

    @Override
    public synchronized void close() throws IOException {
        if (!closed) {
            closed = true;
            point.settle();
            end();
            handles.closeAll();
        }
    }

    @Override
    public synchronized void abort() {
        if (!closed) {
            closed = true;
            point.detach();
            end();
        }
    }

    /**
     * Ends the connection, though other mount name spaces may still have the mount: /dev/fuse is closed under libfuse. What
     * libfuse holds is given back only if no thread can still be in it.
     */
    private void end() {
        boolean interrupted = Thread.interrupted();
        try (var arena = Arena.ofConfined()) {
            var calls = new Native(arena);
            int nowhere = calls.open("/dev/null", Native.O_RDWR | Native.O_CLOEXEC);
            calls.replace(session.descriptor(), nowhere);
            calls.close(nowhere);
            if (workers.stop(STOP)) {
                session.destroy();
            }
        } catch (InterruptedException again) {
            interrupted = true;
        } finally {
            Reference.reachabilityFence(operations);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

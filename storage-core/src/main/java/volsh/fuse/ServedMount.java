package volsh.fuse;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import volsh.fs.FsException;

/** The life cycle of a mount whose requests come through /dev/fuse and are answered by threads of this process. */
public abstract class ServedMount implements Mount {
    private static final Duration STOP = Duration.ofSeconds(1);

    private final MountPoint point;
    private final OpenHandles<?, ?> handles;
    private final OperationStats stats;
    private final int descriptor;
    private boolean closed;

    protected ServedMount(MountPoint point, OpenHandles<?, ?> handles, OperationStats stats, int descriptor) {
        this.point = point;
        this.handles = handles;
        this.stats = stats;
        this.descriptor = descriptor;
    }

    /** Waits until its threads have ended because the mount is gone. */
    protected abstract void await(MountPoint gone) throws InterruptedException;

    /** Ends its threads; false if one has not ended in time. */
    protected abstract boolean stop(Duration longest) throws InterruptedException;

    /** Releases what its threads used. Not called while one of them runs. */
    protected abstract void release();

    @Override
    public final void await() throws InterruptedException {
        await(point);
    }

    @Override
    public final OperationStats stats() {
        return stats;
    }

    @Override
    public final boolean isMounted() {
        return point.isOurs();
    }

    @Override
    public final void unmount(boolean lazy) throws FsException {
        point.unmount(lazy);
    }

    @Override
    public final synchronized void close() throws IOException {
        if (!closed) {
            closed = true;
            point.settle();
            end();
            handles.closeAll();
        }
    }

    @Override
    public final synchronized void abort() {
        if (!closed) {
            closed = true;
            point.detach();
            end();
        }
    }

    /**
     * Ends the connection, although other mount name spaces may still have the mount. The descriptor number stays taken
     * while a thread may still send a late reply to it.
     */
    private void end() {
        boolean interrupted = Thread.interrupted();
        try (var arena = Arena.ofConfined()) {
            var calls = new Native(arena);
            int nowhere = calls.open("/dev/null", Native.O_RDWR | Native.O_CLOEXEC);
            calls.replace(descriptor, nowhere);
            calls.close(nowhere);
            if (stop(STOP)) {
                release();
            }
        } catch (InterruptedException again) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

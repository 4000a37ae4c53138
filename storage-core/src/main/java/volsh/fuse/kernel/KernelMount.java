package volsh.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.Errno;
import volsh.fuse.Handles;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;
import volsh.fuse.MountTable;
import volsh.fuse.OperationStats;
import volsh.fuse.Space;
import volsh.vfs.Vfs;

/** A volume mounted through /dev/fuse. Needs root; the kernel checks permissions ({@code default_permissions}). */
public final class KernelMount implements AutoCloseable {
    private static final Duration STOP = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Path point;
    private final Handles handles;
    private final MountTable.Line mounted;
    private final Workers workers;
    private final OperationStats stats;
    private final int descriptor;
    private boolean closed;

    private KernelMount(
            Path point, Handles handles, Workers workers, OperationStats stats, int descriptor) throws IOException {
        this.point = point;
        this.handles = handles;
        this.mounted = MountTable.at(point).orElseThrow(() -> new IOException("%s is gone as soon as it was mounted".formatted(point)));
        this.workers = workers;
        this.stats = stats;
        this.descriptor = descriptor;
    }

    /** Mounts and starts serving; requests are answered when this returns. */
    public static KernelMount start(Vfs vfs, MountOptions options, Space.Source space, InstantSource clock) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var calls = new Native(arena);
            var point = options.mountPoint().toRealPath();
            calls.wakeable();
            int descriptor = calls.open("/dev/fuse", Native.O_RDWR | Native.O_CLOEXEC);
            if (descriptor < 0) {
                throw new IOException("cannot open /dev/fuse: error %d (is the fuse module loaded?)".formatted(-descriptor));
            }
            try {
                calls.mount(options.source(), point.toString(), MountTable.TYPE, flags(options), mountData(options, descriptor));
                return serve(vfs, options, point, space, clock, descriptor, calls);
            } catch (IOException | RuntimeException failed) {
                calls.close(descriptor);
                throw failed;
            }
        }
    }

    /** Access times are never kept, which the mount table may as well say. */
    private static long flags(MountOptions options) {
        return Native.MS_NOATIME
                | (options.has(MountFlag.SET_ID) ? 0 : Native.MS_NOSUID)
                | (options.has(MountFlag.DEVICES) ? 0 : Native.MS_NODEV)
                | (options.has(MountFlag.NO_EXECUTION) ? Native.MS_NOEXEC : 0)
                | (options.has(MountFlag.READ_ONLY) ? Native.MS_RDONLY : 0);
    }

    private static String mountData(MountOptions options, int descriptor) {
        return "fd=%d,rootmode=40000,user_id=0,group_id=0,default_permissions,max_read=%d%s".formatted(
                descriptor, Request.PAYLOAD_MAX, options.has(MountFlag.ALLOW_OTHER) ? ",allow_other" : "");
    }

    private static KernelMount serve(
            Vfs vfs, MountOptions options, Path point, Space.Source space, InstantSource clock, int descriptor, Native calls)
            throws IOException {
        try {
            new Handshake(options).run(descriptor);
            var handles = new Handles();
            var operations = new Operations(vfs, options, space, clock, handles);
            var stats = new OperationStats(Opcode.names());
            var workers = new Workers(descriptor, operations, options, stats);
            var interrupts = new Interrupts(descriptor, workers, options, operations.told());
            operations.interruptsTo(interrupts);
            var mount = new KernelMount(point, handles, workers, stats, descriptor);
            workers.start();
            Thread.ofPlatform().name("fuse-interrupts").daemon().start(interrupts);
            return mount;
        } catch (IOException | RuntimeException failed) {
            calls.unmount(point.toString(), Native.MNT_DETACH);
            throw failed;
        }
    }

    /** How many requests of this kind, a number of the FUSE protocol, have come so far. */
    public long requests(int opcode) {
        return stats.asked(opcode);
    }

    /** Waits until the mount is gone: unmounted here, though another mount name space may still have a copy of it. */
    public void await() throws InterruptedException {
        while (!workers.await(LOOK) && isListed()) {
            // somebody may have unmounted it without the kernel telling us
        }
    }

    private boolean isListed() {
        try {
            return MountTable.contains(mounted);
        } catch (IOException unknown) {
            return true;
        }
    }

    /** What it has done so far. */
    public OperationStats stats() {
        return stats;
    }

    /** Takes the mount away, if nobody uses it or {@code lazy}; then {@link #await} returns. @throws FsException BUSY */
    public void unmount(boolean lazy) throws FsException {
        try (var arena = Arena.ofConfined()) {
            int failed = isOurs() ? new Native(arena).unmount(point.toString(), lazy ? Native.MNT_DETACH : 0) : 0;
            if (failed == -Errno.of(FsError.BUSY)) {
                throw new FsException(FsError.BUSY, "programs still use it");
            }
        }
    }

    /** Takes away whatever is mounted there, used or not; false if nothing is. */
    public static boolean detach(Path mountPoint) {
        try (var arena = Arena.ofConfined()) {
            return new Native(arena).unmount(mountPoint.toString(), Native.MNT_DETACH) == 0;
        }
    }

    /** Unmounts, and writes out what open files still hold; programs that have files open here lose them. */
    @Override
    public synchronized void close() throws IOException {
        if (!closed) {
            closed = true;
            try (var arena = Arena.ofConfined()) {
                var calls = new Native(arena);
                unmount(calls);
                end(calls);
            }
            handles.closeAll();
        }
    }

    /** Ends the mount at once: whoever waits for an answer gets an error. Bytes that are not flushed stay with the vfs. */
    public synchronized void abort() {
        if (!closed) {
            closed = true;
            try (var arena = Arena.ofConfined()) {
                var calls = new Native(arena);
                detach(calls);
                end(calls);
            }
        }
    }

    /** What programs changed through shared memory reaches us before the mount goes. */
    private void unmount(Native calls) throws IOException {
        if (!isOurs() || calls.unmount(point.toString(), 0) == 0) {
            return;
        }
        int root = calls.open(point.toString(), Native.O_CLOEXEC);
        if (root >= 0) {
            calls.syncfs(root);
            calls.close(root);
        }
        detach(calls);
    }

    private void detach(Native calls) {
        if (isOurs()) {
            calls.unmount(point.toString(), Native.MNT_DETACH);
        }
    }

    /** Is what is mounted there still this? */
    private boolean isOurs() {
        try {
            return MountTable.at(point).filter(mounted::equals).isPresent();
        } catch (IOException gone) {
            return false;
        }
    }

    /**
     * Ends the connection, though other mount name spaces may still have the mount. The number of the descriptor stays taken
     * while a thread may still send a late reply to it.
     */
    private void end(Native calls) {
        int nowhere = calls.open("/dev/null", Native.O_RDWR | Native.O_CLOEXEC);
        calls.replace(descriptor, nowhere);
        calls.close(nowhere);
        boolean interrupted = Thread.interrupted();
        try {
            if (workers.stop(STOP)) {
                calls.close(descriptor);
            }
        } catch (InterruptedException again) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

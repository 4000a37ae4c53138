package volsh.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.Errno;
import volsh.fuse.Handles;
import volsh.fuse.MountOptions;
import volsh.fuse.OperationStats;
import volsh.fuse.Space;
import volsh.vfs.Vfs;

/** A volume mounted through /dev/fuse. Needs root; the kernel checks permissions ({@code default_permissions}). */
public final class KernelMount implements AutoCloseable {
    private static final String TYPE = "fuse.volsh";

    private final MountOptions options;
    private final Handles handles = new Handles();
    private final List<Thread> threads = new ArrayList<>();
    private final OperationStats stats = new OperationStats(Opcode.names());
    private final int descriptor;

    private KernelMount(MountOptions options, int descriptor) {
        this.options = options;
        this.descriptor = descriptor;
    }

    /** Mounts and starts serving; requests are answered when this returns. */
    public static KernelMount start(Vfs vfs, MountOptions options, Space.Source space, InstantSource clock) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var calls = new Native(arena);
            int descriptor = calls.open("/dev/fuse", Native.O_RDWR | Native.O_CLOEXEC);
            if (descriptor < 0) {
                throw new IOException("cannot open /dev/fuse: error %d (is the fuse module loaded?)".formatted(-descriptor));
            }
            try {
                calls.mount(options.source(), options.mountPoint().toString(), TYPE, flags(options), mountData(options, descriptor));
                var mount = new KernelMount(options, descriptor);
                mount.serve(vfs, space, clock);
                return mount;
            } catch (IOException | RuntimeException failed) {
                calls.close(descriptor);
                throw failed;
            }
        }
    }

    private static long flags(MountOptions options) {
        return Native.MS_NOSUID | Native.MS_NODEV | (options.readOnly() ? Native.MS_RDONLY : 0);
    }

    private static String mountData(MountOptions options, int descriptor) {
        return "fd=%d,rootmode=40000,user_id=0,group_id=0,default_permissions,max_read=%d%s".formatted(
                descriptor, Request.PAYLOAD_MAX, options.allowOther() ? ",allow_other" : "");
    }

    private void serve(Vfs vfs, Space.Source space, InstantSource clock) throws IOException {
        try {
            new Handshake(options).run(descriptor);
        } catch (IOException | RuntimeException failed) {
            detach(options.mountPoint());
            throw failed;
        }
        var operations = new Operations(vfs, options, space, clock, handles);
        for (int i = 0; i < options.threads(); i++) {
            threads.add(Thread.ofPlatform().name("fuse-" + i).daemon().start(new Worker(descriptor, operations, options, stats)));
        }
    }

    /** Waits until the mount is gone. */
    public void await() throws InterruptedException {
        for (var thread : threads) {
            thread.join();
        }
    }

    public OperationStats stats() {
        return stats;
    }

    /** Takes the mount away. @throws FsException BUSY if programs still use it and not {@code lazy} */
    public void unmount(boolean lazy) throws FsException {
        try (var arena = Arena.ofConfined()) {
            int failed = new Native(arena).unmount(options.mountPoint().toString(), lazy ? Native.MNT_DETACH : 0);
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

    /** Takes away this mount, if it is still there, and nothing that may be mounted there since. */
    private void detachOnce() {
        if (threads.stream().anyMatch(Thread::isAlive)) {
            detach(options.mountPoint());
        }
    }

    /** Unmounts, and writes out what open files still hold. */
    @Override
    public void close() throws IOException {
        detachOnce();
        try {
            handles.closeAll();
        } finally {
            try (var arena = Arena.ofConfined()) {
                new Native(arena).close(descriptor);
            }
        }
    }
}

package volsh.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import volsh.fuse.Handles;
import volsh.fuse.MountOptions;
import volsh.fuse.Space;
import volsh.vfs.Vfs;

/** A volume mounted through /dev/fuse. Needs root; the kernel checks permissions ({@code default_permissions}). */
public final class KernelMount implements AutoCloseable {
    private static final String TYPE = "fuse.volsh";

    private final MountOptions options;
    private final Handles handles = new Handles();
    private final List<Thread> threads = new ArrayList<>();
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
            unmount();
            throw failed;
        }
        var operations = new Operations(vfs, options, space, clock, handles);
        for (int i = 0; i < options.threads(); i++) {
            threads.add(Thread.ofPlatform().name("fuse-" + i).daemon().start(new Worker(descriptor, operations, options)));
        }
    }

    /** Waits until the mount is gone. */
    public void await() throws InterruptedException {
        for (var thread : threads) {
            thread.join();
        }
    }

    /** Takes the mount away; programs that still have files open lose them. */
    private void unmount() {
        try (var arena = Arena.ofConfined()) {
            new Native(arena).unmount(options.mountPoint().toString(), Native.MNT_DETACH);
        }
    }

    /** Unmounts, and writes out what open files still hold. */
    @Override
    public void close() throws IOException {
        unmount();
        try {
            handles.closeAll();
        } finally {
            try (var arena = Arena.ofConfined()) {
                new Native(arena).close(descriptor);
            }
        }
    }
}

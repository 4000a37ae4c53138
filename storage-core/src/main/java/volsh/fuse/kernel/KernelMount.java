package volsh.fuse.kernel;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.System.Logger;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.fs.FsError;
import volsh.fs.OtherWriters;
import volsh.fuse.BackingFiles;
import volsh.fuse.Errno;
import volsh.fuse.FuseFileSystem;
import volsh.fuse.FuseHandles;
import volsh.fuse.Fusermount;
import volsh.fuse.Handles;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;
import volsh.fuse.MountPoint;
import volsh.fuse.MountTable;
import volsh.fuse.Native;
import volsh.fuse.OpenHandles;
import volsh.fuse.OperationStats;
import volsh.fuse.ServedMount;
import volsh.fuse.Space;
import volsh.vfs.Vfs;

/**
 * A volume or another file system mounted through /dev/fuse, by root or through fusermount3; the kernel checks
 * permissions ({@code default_permissions}).
 */
public final class KernelMount extends ServedMount {
    private static final Logger LOG = System.getLogger("volsh.mount");
    private static final Path DEVICE = Path.of("/dev/fuse");
    /** The protocol version with which the kernel can forget all names at once. */
    private static final int EPOCH_MINOR = 44;
    private static final Duration STOP = Duration.ofSeconds(1);

    private final Workers workers;
    private final int descriptor;
    private final Outbox outbox;
    private final MetaEngine.@Nullable Following following;   // null if there are no other writers
    private final @Nullable LoneCaching lone;   // null if the kernel never remembers for longer
    private final @Nullable Passthrough passthrough;   // null if the kernel reads nothing by itself

    private KernelMount(
            MountPoint point, OpenHandles<?, ?> handles, Workers workers, OperationStats stats, int descriptor,
            Outbox outbox, MetaEngine.@Nullable Following following, @Nullable LoneCaching lone,
            @Nullable Passthrough passthrough) {
        this.passthrough = passthrough;
        super(point, handles, stats, descriptor);
        this.outbox = outbox;
        this.following = following;
        this.lone = lone;
        this.workers = workers;
        this.descriptor = descriptor;
    }

    /** Mounts and starts serving; requests are answered once this returns. Others may write at any time. */
    public static KernelMount start(Vfs vfs, MountOptions options, Space.Source space, InstantSource clock)
            throws IOException {
        return start(vfs, options, space, clock, OtherWriters.UNKNOWN);
    }

    /** The same, for a mount that may let the kernel remember for longer while no other mount writes. */
    public static KernelMount start(Vfs vfs, MountOptions options, Space.Source space, InstantSource clock,
            OtherWriters others) throws IOException {
        return start(vfs, options, space, clock, others, BackingFiles.NONE);
    }

    /** The same; the kernel may read files that cannot change from copies ({@link MountFlag#CACHE_EXPAND}). */
    public static KernelMount start(Vfs vfs, MountOptions options, Space.Source space, InstantSource clock,
            OtherWriters others, BackingFiles copies) throws IOException {
        return start(options,
                (point, descriptor) -> serve(vfs, options, point, space, clock, others, copies, descriptor));
    }

    /** The same for a file system that is not a volume. */
    public static KernelMount start(FuseFileSystem files, MountOptions options) throws IOException {
        return start(options, (point, descriptor) -> serve(files, options, point, descriptor));
    }

    /** Starts to serve what is mounted there. */
    private interface Serving {
        KernelMount serve(Path point, int descriptor) throws IOException;
    }

    private static KernelMount start(MountOptions options, Serving serving) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var calls = new Native(arena);
            var point = options.mountPoint().toRealPath();
            calls.wakeable();
            int descriptor = connect(calls, point, options);
            try {
                return serving.serve(point, descriptor);
            } catch (IOException | RuntimeException failed) {
                MountPoint.detach(point);
                calls.close(descriptor);
                throw failed;
            }
        }
    }

    /** Whether this process can mount: as root, or through fusermount3. */
    public static boolean isPossible() {
        return Fusermount.isInstalled() || Files.isWritable(DEVICE) && isRoot();
    }

    private static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        } catch (IOException unknown) {
            return false;
        }
    }

    /** Mounts and returns the descriptor of /dev/fuse. Falls back to fusermount3 without the privilege to mount. */
    private static int connect(Native calls, Path point, MountOptions options) throws IOException {
        int descriptor = calls.open(DEVICE.toString(), Native.O_RDWR | Native.O_CLOEXEC);
        int failed = descriptor;
        if (descriptor >= 0) {
            failed = calls.mount(options.source(), point.toString(), MountTable.TYPE, flags(options),
                    mountData(options, descriptor));
            if (failed == 0) {
                return descriptor;
            }
            calls.close(descriptor);
        }
        if (failed == -Errno.of(FsError.NOT_PERMITTED) || failed == -Errno.of(FsError.ACCESS)) {
            return Fusermount.mount(point, words(options));
        }
        throw new IOException(descriptor < 0
                ? "cannot open %s: error %d (is the fuse module loaded?)".formatted(DEVICE, -failed)
                : "cannot mount on %s: error %d".formatted(point, -failed));
    }

    /** Access times are never updated, so the mount table says so. */
    private static long flags(MountOptions options) {
        return Native.MS_NOATIME
                | (options.has(MountFlag.SET_ID) ? 0 : Native.MS_NOSUID)
                | (options.has(MountFlag.DEVICES) ? 0 : Native.MS_NODEV)
                | (options.has(MountFlag.NO_EXECUTION) ? Native.MS_NOEXEC : 0)
                | (options.has(MountFlag.READ_ONLY) ? Native.MS_RDONLY : 0);
    }

    private static String mountData(MountOptions options, int descriptor) {
        return "fd=%d,rootmode=40000,user_id=0,group_id=0,%s".formatted(descriptor, common(options));
    }

    private static String common(MountOptions options) {
        return "%smax_read=%d%s".formatted(options.has(MountFlag.ALL_SQUASH) ? "" : "default_permissions,",
                Request.PAYLOAD_MAX, options.has(MountFlag.ALLOW_OTHER) ? ",allow_other" : "");
    }

    /** The same options as text for fusermount3, which adds the user. */
    private static String words(MountOptions options) {
        return "%s,%s,%s,noatime%s,subtype=volsh,fsname=%s,%s".formatted(
                options.has(MountFlag.READ_ONLY) ? "ro" : "rw", options.has(MountFlag.SET_ID) ? "suid" : "nosuid",
                options.has(MountFlag.DEVICES) ? "dev" : "nodev", options.has(MountFlag.NO_EXECUTION) ? ",noexec" : "",
                options.source().replace("\\", "\\\\").replace(",", "\\,"), common(options));
    }

    private static KernelMount serve(
            Vfs vfs, MountOptions options, Path point, Space.Source space, InstantSource clock, OtherWriters others,
            BackingFiles copies, int descriptor) throws IOException {
        boolean sharesLocks = vfs.locking().isPossible() && !options.has(MountFlag.LOCAL_LOCKS)
                && !options.has(MountFlag.SOLE_WRITER) && !options.has(MountFlag.WRITEBACK_CACHE);
        var handshake = new Handshake(options, sharesLocks);
        int minor = handshake.run(descriptor);
        var passthrough = handshake.passesThrough() ? new Passthrough(descriptor, copies) : null;
        if (passthrough == null && options.has(MountFlag.CACHE_EXPAND)) {
            LOG.log(Level.WARNING, "this kernel reads no backing files (Linux 6.9 does, without --writeback-cache):"
                    + " --cache-expand has no effect");
        }
        var handles = new Handles();
        var outbox = new Outbox(descriptor);
        var lone = minor < EPOCH_MINOR || others == OtherWriters.UNKNOWN ? null
                : new LoneCaching(others, outbox, options.root());
        var operations = new Operations(vfs, options, space, clock, handles, outbox, sharesLocks, lone,
                passthrough);
        var stats = new OperationStats(Opcode.names());
        var workers = new Workers(descriptor, operations, options, stats);
        var interrupts = new Interrupts(descriptor, workers, options, operations.told());
        operations.interruptsTo(interrupts);
        var where = MountPoint.at(point);
        if (vfs.readsAhead()) {
            LongReads.allow(where.device());
        }
        boolean alone = options.has(MountFlag.SOLE_WRITER) || options.has(MountFlag.WRITEBACK_CACHE);
        var following = alone ? null : new DentryExpiry(operations.policies(), outbox, options.root(),
                minor).follow(vfs);
        var mount = new KernelMount(where, handles, workers, stats, descriptor, outbox, following, lone,
                passthrough);
        if (lone != null) {
            vfs.coherence().onChangedHere(lone::changed);
            lone.start();
        }
        return mount.started(interrupts);
    }

    private static KernelMount serve(FuseFileSystem files, MountOptions options, Path point, int descriptor)
            throws IOException {
        new Handshake(options, false).run(descriptor);
        var handles = new FuseHandles();
        var operations = new FileSystemOperations(files, options, handles);
        var stats = new OperationStats(Opcode.names());
        var workers = new Workers(descriptor, operations, options, stats);
        var interrupts = new Interrupts(descriptor, workers, options, operations.told());
        operations.interruptsTo(interrupts);
        var where = MountPoint.at(point);
        LongReads.allow(where.device());
        var outbox = new Outbox(descriptor);
        files.pagesOutdated(outbox::forgetFile);
        return new KernelMount(where, handles, workers, stats, descriptor, outbox, null, null, null)
                .started(interrupts);
    }

    private KernelMount started(Interrupts interrupts) {
        workers.start();
        Thread.ofPlatform().name("fuse-interrupts").daemon().start(interrupts);
        return this;
    }

    /** How many requests with this opcode have arrived so far. */
    public long requests(int opcode) {
        return stats().asked(opcode);
    }

    @Override
    protected void await(MountPoint gone) throws InterruptedException {
        workers.await(gone);
    }

    @Override
    protected boolean stop(Duration longest) throws InterruptedException {
        if (following != null) {
            following.close();
        }
        if (lone != null) {
            lone.close();
        }
        return workers.stop(longest);
    }

    @Override
    protected void release() {
        try (var arena = Arena.ofConfined()) {
            if (passthrough != null) {
                passthrough.close();
            }
            if (outbox.close(STOP)) {
                new Native(arena).close(descriptor);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();   // and the number stays taken
        }
    }
}

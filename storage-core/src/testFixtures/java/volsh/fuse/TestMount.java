package volsh.fuse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import volsh.fs.OtherWriters;
import volsh.fuse.jnr.JnrMount;
import volsh.fuse.kernel.KernelMount;
import volsh.vfs.Vfs;

/** A mount in this process, taken away again whatever happens. */
public final class TestMount implements AutoCloseable {
    private static final Space SPACE = new Space(1L << 40, 1L << 39, 1000);

    private final Path directory;
    private final Mount mount;

    private TestMount(Path directory, Mount mount) {
        this.directory = directory;
        this.mount = mount;
    }

    /** Mounts on a new directory below {@code parent}. */
    public static TestMount of(Vfs vfs, Path parent, InstantSource clock) throws IOException {
        return of(vfs, parent, clock, options -> options);
    }

    /** Says how a mount differs from the usual one. */
    public interface Wish {
        MountOptions of(MountOptions usual);
    }

    public static TestMount of(Vfs vfs, Path parent, InstantSource clock, Wish wish) throws IOException {
        return at(Files.createTempDirectory(parent, "mnt"), vfs, clock, wish);
    }

    /** Whether mounts of this user may have the kernel read backing files: root's, since Linux 6.9. */
    public static boolean passesThrough() {
        var words = System.getProperty("os.version").split("[.-]");
        int major = Integer.parseInt(words[0]);
        return "root".equals(System.getProperty("user.name")) && Files.isWritable(Path.of("/dev/fuse"))
                && (major > 6 || major == 6 && Integer.parseInt(words[1]) >= 9);
    }

    /** Mounts on a new directory; the kernel may read files that cannot change from these copies. */
    public static TestMount expanding(Vfs vfs, Path parent, InstantSource clock, BackingFiles copies)
            throws IOException {
        var directory = Files.createTempDirectory(parent, "mnt");
        var options = MountOptions.at(directory, "volsh:test").with(MountFlag.CACHE_EXPAND);
        return new TestMount(directory,
                KernelMount.start(vfs, options, () -> SPACE, clock, OtherWriters.UNKNOWN, copies));
    }

    /** Mounts on this directory. */
    public static TestMount at(Path directory, Vfs vfs, InstantSource clock, Wish wish) throws IOException {
        var options = wish.of(MountOptions.at(directory, "volsh:test"));
        return new TestMount(directory, KernelMount.start(vfs, options, () -> SPACE, clock));
    }

    /** Mounts a file system that is not a volume on a new directory below {@code parent}. */
    public static TestMount of(FuseFileSystem files, Path parent) throws IOException {
        var directory = Files.createTempDirectory(parent, "mnt");
        return new TestMount(directory, KernelMount.start(files, MountOptions.at(directory, "volsh:test")));
    }

    /**
     * Mounts through libfuse on a new directory below {@code parent}, where attributes are not cached: names of one
     * file are apart.
     */
    public static TestMount jnr(Vfs vfs, Path parent, InstantSource clock) throws IOException {
        return jnr(vfs, parent, clock, usual -> usual);
    }

    public static TestMount jnr(Vfs vfs, Path parent, InstantSource clock, Wish wish) throws IOException {
        var directory = Files.createTempDirectory(parent, "mnt");
        var usual = MountOptions.at(directory, "volsh:test, by libfuse");
        var options = new MountOptions(directory, usual.source(), usual.root(), usual.flags(), usual.appearance(),
                Duration.ZERO, usual.entryTimeout(), usual.threads());
        return new TestMount(directory, JnrMount.start(vfs, wish.of(options), () -> SPACE, clock));
    }

    public static MountOptions withTimeout(MountOptions options, Duration timeout) {
        return options.withTimeout(timeout);
    }

    public Path directory() {
        return directory;
    }

    public KernelMount kernel() {
        return (KernelMount) mount;
    }

    public Mount mount() {
        return mount;
    }

    @Override
    public void close() throws IOException {
        try {
            mount.close();
        } finally {
            detach(directory);
        }
    }

    /** Takes a mount away, dead or alive; it is fine if there is none. */
    public static void detach(Path directory) throws IOException {
        if (!isMounted(directory)) {
            return;
        }
        var process = new ProcessBuilder("umount", "-l", directory.toString())
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        try {
            if (!process.waitFor(120, TimeUnit.SECONDS)) {
                throw new IOException("umount hangs: " + directory);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Is something mounted there? Asks the kernel's list only, so a dead mount keeps nobody waiting. */
    public static boolean isMounted(Path directory) throws IOException {
        return Files.readString(Path.of("/proc/self/mountinfo")).contains(" " + directory.toAbsolutePath() + " ");
    }
}

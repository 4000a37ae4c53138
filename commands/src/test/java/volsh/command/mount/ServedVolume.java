package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import volsh.command.tree.Scratch;
import volsh.fuse.TestMount;
import volsh.hang.Eventually;
import volsh.meta.ChildJvm;

/**
 * A volume that another process has mounted, as {@code volsh mount} does, on a home of a test: that process can end,
 * and be killed.
 */
final class ServedVolume implements AutoCloseable {

    private final Path mountPoint;
    private final Scratch scratch;
    private final ChildJvm child;   // null if this process serves it
    private final Thread thread;    // null if another process does
    private final AtomicReference<Scratch.Ended> ended;

    ServedVolume(Scratch scratch, String volume, Path mountPoint, String options) throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        this.scratch = scratch;
        this.thread = null;
        this.ended = new AtomicReference<>();
        this.mountPoint = Files.createDirectories(mountPoint);
        this.child = ChildJvm.start(mountPoint.getParent(), ServedVolume.class, scratch.home(),
                "mount %s %s --foreground %s".formatted(volume, mountPoint, options));
        Eventually.value("it is mounted", () -> {
            assertThat(child.isAlive()).as("it goes on; what it said is on stderr").isTrue();
            return scratch.run("mounts list -o csv --columns mountPoint,state").out();
        }, list -> list.contains(mountPoint + ",ok"));
    }

    private ServedVolume(Scratch scratch, Path mountPoint, Thread thread, AtomicReference<Scratch.Ended> ended) {
        this.ended = ended;
        this.scratch = scratch;
        this.mountPoint = mountPoint;
        this.thread = thread;
        this.child = null;
    }

    /**
     * One that a thread of this process serves, which starts sooner and cannot be killed. Nothing in this process may
     * use the mount.
     */
    static ServedVolume here(Scratch scratch, String volume, Path mountPoint, String options) throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        Files.createDirectories(mountPoint);
        var ended = new AtomicReference<Scratch.Ended>();
        var thread = Thread.ofPlatform().daemon().name("served").start(() ->
                ended.set(scratch.run("mount %s %s --foreground %s".formatted(volume, mountPoint, options))));
        Eventually.value("it is mounted", () -> {
            assertThat(ended.get()).as("it has ended").isNull();
            return scratch.run("mounts list -o csv --columns mountPoint,state").out();
        }, list -> list.contains(mountPoint + ",ok"));
        return new ServedVolume(scratch, mountPoint, thread, ended);
    }

    /** HOME LINE: runs one line of volsh and ends with its exit code. */
    public static void main(String[] arguments) {
        var ended = new Scratch(Path.of(arguments[0])).run(arguments[1]);
        System.err.print(ended.err());
        System.exit(ended.status());
    }

    /** How a program ended that ran in the mount. */
    record Told(int status, String said) {}

    /**
     * Runs a program in the mount, in a process of its own: what it does must not be done by this one, which could wait
     * for itself.
     */
    Told sh(String line) throws IOException, InterruptedException {
        var process = new ProcessBuilder("sh", "-c", "cd %s && %s".formatted(mountPoint, line))
                .redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Told(process.waitFor(), said);
    }

    /** Writes so many MiB that do not compress, and fsyncs them. */
    Told write(String name, int mebibytes) throws IOException, InterruptedException {
        return sh("dd if=/dev/urandom of=%s bs=1M count=%d conv=fsync status=none".formatted(name, mebibytes));
    }

    /** Starts a program in the mount that may take as long as it wants. */
    void start(String line) throws IOException {
        new ProcessBuilder("sh", "-c", "cd %s && %s".formatted(mountPoint, line)).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    }

    Path mountPoint() {
        return mountPoint;
    }

    ChildJvm child() {
        return child;
    }

    /** The exit code of the mount that a thread of this process serves. */
    int endedHere() throws InterruptedException {
        thread.join();
        return ended.get().status();
    }

    /** What this line ends with, as soon as it ends with that. */
    Scratch.Ended says(String line, int status, String... words) {
        return Eventually.value("'%s' ends with %d and says %s".formatted(line, status, List.of(words)),
                () -> scratch.run(line), ended -> ended.status() == status && contains(ended, words));
    }

    private static boolean contains(Scratch.Ended ended, String... words) {
        for (var word : words) {
            if (!(ended.out() + ended.err()).contains(word)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        if (child != null) {
            child.close();
        }
        try {
            TestMount.detach(mountPoint);
        } catch (IOException gone) {
            // nothing is there
        }
        if (thread != null) {
            Eventually.holds("the mount has ended", () -> !thread.isAlive());
        }
    }
}

package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.fuse.MountedProcess.Kind;
import volsh.hang.Eventually;
import volsh.meta.ChildJvm;
import volsh.vfs.MountPosix;
import volsh.vfs.Vfs;
import volsh.vfs.VfsPosix;

/**
 * A real mount with its metadata, and its blocks or its journal, on a file system that loses what was not synced. Power
 * is lost again and again under load; each time everything that was synced before is there.
 */
@Tag("mount")
@Tag("crash")
final class PowerLossTest {
    private static final int POINTS = Boolean.getBoolean("volsh.long") ? 200 : 6;
    private static final int THREADS = 3;
    private static final Logger LOG = Logger.getLogger("volsh");

    @TempDir
    private Path temporary;
    private Path disk;
    private Path mountPoint;

    @BeforeEach
    void prepare() throws IOException {
        System.setProperty("volsh.meta.trust-file-system", "true");
        LOG.setLevel(Level.OFF);   // whoever reads a disk that ignored syncs meets damage, and says so at length
        disk = Files.createDirectory(temporary.resolve("disk"));
        mountPoint = Files.createDirectory(temporary.resolve("mnt"));
    }

    @AfterEach
    void detach() throws IOException {
        System.clearProperty("volsh.meta.trust-file-system");
        LOG.setLevel(null);
        TestMount.detach(mountPoint);
        TestMount.detach(disk);
    }

    /** One power loss: what was synced before, and what the disk and the store elsewhere have afterwards. */
    private record Loss(List<Integer> synced, LossyDisk.Image image, Path bucket) {}

    @ParameterizedTest
    @EnumSource
    void whatWasSyncedSurvives(Kind kind) throws Exception {
        long seed = System.nanoTime();
        System.out.printf("power loss %s: seed %d%n", kind, seed);
        var work = new ArrayList<SyncedWork>();
        var losses = run(kind, false, new Random(seed), POINTS, work);
        int steps = 0;
        for (var loss : losses) {
            steps += loss.synced.stream().mapToInt(Integer::intValue).sum();
            assertThat(wrongs(kind, loss, work)).as("seed %d, synced %s", seed, loss.synced).isEmpty();
        }
        System.out.printf("power loss %s: %d losses, %d synced steps looked for%n", kind, losses.size(), steps);
        assertThat(steps).isGreaterThan(losses.size());
    }

    /** The control: a disk that ignores syncs is found out. */
    @ParameterizedTest
    @EnumSource
    void aDiskThatIgnoresSyncsIsFound(Kind kind) throws Exception {
        var work = new ArrayList<SyncedWork>();
        var losses = run(kind, true, new Random(7), 3, work);
        var found = new ArrayList<String>();
        for (var loss : losses) {
            found.addAll(wrongs(kind, loss, work));
        }
        assertThat(found).isNotEmpty();
    }

    /** Lets programs work and power fail, so many times. */
    private List<Loss> run(Kind kind, boolean deaf, Random random, int points, List<SyncedWork> work) throws Exception {
        var losses = new ArrayList<Loss>();
        try (var lossy = LossyDisk.mount(disk, deaf)) {
            Files.createDirectory(disk.resolve("home"));
            try (var child = ChildJvm.start(List.of("env", "JAVA_TOOL_OPTIONS=-Dvolsh.meta.trust-file-system=true"),
                    temporary, MountedProcess.class, disk.resolve("home"), mountPoint, kind,
                    temporary.resolve("bucket"))) {
                assertThat(child.line()).isEqualTo("mounted");
                load(lossy, random, points, work, losses);
                child.kill();
            }
            TestMount.detach(mountPoint);
        }
        return losses;
    }

    private void load(LossyDisk lossy, Random random, int points, List<SyncedWork> work, List<Loss> losses)
            throws Exception {
        try (var posix = new MountPosix(mountPoint)) {
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < THREADS; i++) {
                var each = new SyncedWork(posix, i);
                work.add(each);
                threads.add(Thread.ofPlatform().start(each));
            }
            for (int i = 0; i < points; i++) {
                Thread.sleep(20 + random.nextInt(150));
                awaitWork(work, i);
                var synced = work.stream().map(SyncedWork::synced).toList();
                losses.add(lose(lossy, random, synced, temporary.resolve("bucket-" + i)));
            }
            work.forEach(SyncedWork::stop);
            for (var thread : threads) {
                thread.join();
            }
        }
    }

    /**
     * Without anything synced there is nothing to lose; and each time there is to be more of it, however slow the
     * machine is.
     */
    private static void awaitWork(List<SyncedWork> work, int steps) {
        Eventually.value("more than %d steps are synced".formatted(steps),
                () -> work.stream().mapToInt(SyncedWork::synced).sum(), synced -> synced > steps);
    }

    /** What the store has at that moment, and nothing less: something may be put or deleted just now. */
    private Loss lose(LossyDisk lossy, Random random, List<Integer> synced, Path snapshot) throws IOException {
        link(temporary.resolve("bucket"), snapshot);
        var image = lossy.lose(random);
        link(temporary.resolve("bucket"), snapshot);
        return new Loss(synced, image, snapshot);
    }

    /** Objects are never changed, so a second name is a copy. */
    private static void link(Path from, Path to) throws IOException {
        if (!Files.isDirectory(from)) {
            return;
        }
        Files.createDirectories(to);
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwx------"));
        try (var children = Files.newDirectoryStream(from)) {
            for (var child : children) {
                var copy = to.resolve(child.getFileName().toString());
                if (Files.isDirectory(child)) {
                    link(child, copy);
                } else if (!Files.exists(copy)) {
                    try {
                        Files.createLink(copy, child);
                    } catch (NoSuchFileException deletedMeanwhile) {
                        // it is no more
                    }
                }
            }
        }
    }

    /** Power is back: what is wrong? A volume that cannot be opened has lost everything. */
    private List<String> wrongs(Kind kind, Loss loss, List<SyncedWork> work) throws Exception {
        if (Files.isDirectory(loss.bucket)) {
            Files.move(temporary.resolve("bucket"), loss.bucket.resolveSibling(loss.bucket.getFileName() + "-after"));
            Files.move(loss.bucket, temporary.resolve("bucket"));
        }
        if (loss.synced.stream().allMatch(steps -> steps == 0)) {
            return List.of();
        }
        var recovered = temporary.resolve("recovered");
        try (var _ = loss.image.mount()) {
            var copying = new ProcessBuilder("cp", "-a", disk.resolve("home").toString(),
                    recovered.toString()).inheritIO().start();
            if (copying.waitFor() != 0) {
                return List.of("the disk cannot be read");
            }
        }
        // Looked at where it was, but not on the disk that this process serves: whoever maps a file there waits for
        // himself.
        Files.move(recovered, disk.resolve("home"));
        try {
            return look(kind, loss, work);
        } finally {
            Programs.run(temporary, "rm", "-rf", disk.resolve("home").toString());
        }
    }

    private List<String> look(Kind kind, Loss loss, List<SyncedWork> work) {
        try (var volume = open(kind)) {
            var wrongs = new ArrayList<String>();
            var posix = new VfsPosix(volume.vfs());
            for (int i = 0; i < THREADS; i++) {
                wrongs.addAll(work.get(i).wrongs(posix, loss.synced.get(i)));
            }
            return wrongs;
        } catch (IOException | RuntimeException unreadable) {
            return List.of("the volume cannot be opened: " + unreadable);
        }
    }

    /** A volume of either kind. */
    private record Opened(Vfs vfs, Closeable whole) implements Closeable {
        @Override
        public void close() throws IOException {
            whole.close();
        }
    }

    private Opened open(Kind kind) throws IOException {
        var home = disk.resolve("home");
        if (kind == Kind.PLAIN) {
            var volume = MountedProcess.plain(home);
            return new Opened(volume.vfs(), volume::close);
        }
        var volume = MountedProcess.open(home, temporary.resolve("bucket"));
        return new Opened(volume.vfs(), volume::close);
    }
}

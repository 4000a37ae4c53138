package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.block.file.FileBlockStore;
import volsh.disk.OsDisk;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fuse.MountedProcess.Kind;
import volsh.hang.Eventually;
import volsh.meta.ChildJvm;
import volsh.meta.MetadataAudit;
import volsh.vfs.MountPosix;

/**
 * The process of a mount is killed under load, over and over: whatever was closed or synced is there afterwards, the
 * next mount works at once, and nothing has to be repaired.
 */
@Tag("mount")
@Tag("crash")
final class MountKillTest {
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 100 : 2;
    private static final int THREADS = 3;

    @TempDir
    private Path temporary;

    private int left;

    private Path mountPoint() {
        return temporary.resolve("mnt");
    }

    @AfterEach
    void detach() throws Exception {
        TestMount.detach(mountPoint());
    }

    @ParameterizedTest
    @EnumSource
    void whatWasAcknowledgedSurvivesAKilledMount(Kind kind) throws Exception {
        long seed = System.nanoTime();
        System.out.println("mount kill seed " + seed + ", " + kind);
        var random = new Random(seed);
        Files.createDirectory(mountPoint());
        var home = Files.createDirectory(temporary.resolve("home"));
        List<AcknowledgedFiles> files = List.of();
        long acknowledged = 0;
        int rounds = kind == Kind.PLAIN ? ROUNDS : (ROUNDS + 1) / 2;
        for (int round = 0; round < rounds; round++) {
            try (var child = mount(home, kind)) {
                files = load(child, files, random);
            }
            long count = files.stream().mapToLong(AcknowledgedFiles::count).sum();
            assertThat(count).as("acknowledged in round %d", round).isPositive();
            acknowledged += count;
            assertThat(TestMount.isMounted(mountPoint())).as("a dead mount is left").isTrue();
            assertThatThrownBy(() -> Files.list(mountPoint()).close()).as("and does not hang")
                    .isInstanceOf(Exception.class);
            TestMount.detach(mountPoint());
            verify(home, kind, files, round);
        }
        System.out.println(acknowledged + " changes acknowledged before " + rounds + " kills, " + left
                + " files of journals left");
        if (kind == Kind.PLAIN) {
            assertThat(left).isZero();
        } else if (Boolean.getBoolean("volsh.long")) {   // in few rounds all files may be small, and wait elsewhere
            assertThat(left).isPositive();
        }
        if (kind == Kind.WRITEBACK) {
            storeTheRest(home);
        }
        try (var engine = SqliteMetaEngine.open(MountedProcess.database(home, kind))) {
            var audit = MetadataAudit.of(engine);
            assertThat((kind == Kind.WRITEBACK ? audit.withNeeded(new FileBlockStore(MountedProcess.store(home),
                    new OsDisk())) : audit).problems()).isEmpty();
        }
    }

    /**
     * What all those processes left in their journals is stored by the next one, and nothing is left of the journals.
     */
    private static void storeTheRest(Path home) throws IOException {
        try (var volume = MountedProcess.open(home)) {
            assertThat(volume.store(Duration.ofMinutes(3))).isTrue();
        }
        try (var left = Files.list(MountedProcess.database(home, Kind.WRITEBACK).resolveSibling("journal"))) {
            assertThat(left).isEmpty();
        }
    }

    private ChildJvm mount(Path home, Kind kind) throws Exception {
        var child = ChildJvm.start(temporary, MountedProcess.class, home, mountPoint(), kind);
        assertThat(child.line()).isEqualTo("mounted");
        left += Integer.parseInt(child.line());
        return child;
    }

    /** Lets programs work for a while and kills the mount under them. */
    private List<AcknowledgedFiles> load(ChildJvm child, List<AcknowledgedFiles> before, Random random)
            throws Exception {
        try (var posix = new Tolerant(new MountPosix(mountPoint()))) {
            var files = new ArrayList<AcknowledgedFiles>();
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < THREADS; i++) {
                var each = before.isEmpty() ? new AcknowledgedFiles(posix.fs(), "w" + i, random.nextLong())
                        : before.get(i).on(posix.fs(), random.nextLong());
                files.add(each);
                threads.add(Thread.ofPlatform().start(each));
            }
            Eventually.holds("something is acknowledged, or nobody writes any more",
                    () -> files.stream().mapToLong(AcknowledgedFiles::count).sum() > 0
                            || threads.stream().noneMatch(Thread::isAlive));
            Thread.sleep(random.nextInt(1200));
            child.kill();
            for (var thread : threads) {
                thread.join();
            }
            return files;
        }
    }

    /** Closing files of a dead mount fails, which is right. */
    private record Tolerant(MountPosix fs) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            try {
                fs.close();
            } catch (IllegalStateException notConnected) {
                // as expected
            }
        }
    }

    private void verify(Path home, Kind kind, List<AcknowledgedFiles> files, int round) throws Exception {
        try (var child = mount(home, kind)) {
            try (var posix = new MountPosix(mountPoint())) {
                for (var each : files) {
                    assertThat(each.wrongs(posix)).as("lost in round %d", round).isEmpty();
                }
            }
            child.kill();
        } finally {
            TestMount.detach(mountPoint());
        }
    }

    /** The checker sees what it is there for. */
    @Test
    void aLossIsNoticed() throws Exception {
        Files.createDirectory(mountPoint());
        try (var posix = new MountPosix(mountPoint())) {
            posix.save("/short", new byte[10]);
            posix.save("/other", "other");
            var files = new AcknowledgedFiles(posix, "w", 1);
            files.claim("/missing", new byte[1]);
            files.claim("/short", new byte[11]);
            files.claim("/other", "right".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            assertThat(files.wrongs(posix)).hasSize(3);
        }
    }
}

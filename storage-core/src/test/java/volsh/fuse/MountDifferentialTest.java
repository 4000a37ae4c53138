package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.Attributes;
import volsh.meta.EngineKind;
import volsh.vfs.MountPosix;
import volsh.vfs.Posix;
import volsh.vfs.Program;
import volsh.vfs.RandomCalls;
import volsh.vfs.SeedList;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/**
 * The same random system calls on a mount and in a directory of the disk: every answer, every error number and in the
 * end the whole tree are the same. Times are compared where they were set; reading sets none on a mount.
 */
@Tag("mount")
@Tag("data")
final class MountDifferentialTest {
    private static final int FEW = 30;
    private static final int MANY = Integer.getInteger("volsh.calls", 4_000);
    private static final int LOG = 60;
    private static final long RECENT_NANOS = Duration.ofHours(12).toNanos();

    @TempDir
    private Path temporary;

    @TestFactory
    Stream<DynamicTest> behavesLikeTheDisk() throws IOException {
        return new SeedList("/volsh/fuse/differential-seeds.txt", 20, 500).seeds().stream()
                .map(seed -> DynamicTest.dynamicTest("seed " + seed, () -> compare(seed, FEW)));
    }

    @Test
    void behavesLikeTheDiskForLong() throws IOException {
        compare(Long.getLong("volsh.seed", 77), MANY);
    }

    @Test
    void behavesLikeTheDiskOnPostgres() throws IOException {
        try (var engine = EngineKind.postgres()) {
            compare(Long.getLong("volsh.seed", 79), 500, engine, (vfs, parent, clock) ->
                    TestMount.of(vfs, parent, clock, usual -> usual.withTimeout(Duration.ZERO)), step -> true);
        }
    }

    /**
     * Without what {@link LibfuseDifferences} names: renames with flags, and changes of open files, which may be
     * unlinked.
     */
    @Test
    void behavesLikeTheDiskThroughLibfuse() throws IOException {
        compare(Long.getLong("volsh.seed", 78), 500, TestMount::jnr,
                step -> !step.text().matches("(rename .* (NO_REPLACE|EXCHANGE)|(fchmod|futimens) .*)"));
    }

    /** Mounts. */
    private interface Mounting {
        TestMount mount(Vfs vfs, Path parent, InstantSource clock) throws IOException;
    }

    private void compare(long seed, int count) throws IOException {
        compare(seed, count, TestMount::of, step -> true);
    }

    private void compare(long seed, int count, Mounting mounting, Predicate<RandomCalls.Step> wanted)
            throws IOException {
        try (var engine = SqliteMetaEngine.create(Files.createTempDirectory(temporary, "meta").resolve("meta"))) {
            compare(seed, count, engine, mounting, wanted);
        }
    }

    private void compare(long seed, int count, MetaEngine engine, Mounting mounting, Predicate<RandomCalls.Step> wanted)
            throws IOException {
        System.out.printf("differential seed %d: %d calls%n", seed, count);
        var clock = InstantSource.system();
        var place = Files.createTempDirectory(temporary, "seed-" + seed + "-");
        var disk = Files.createDirectory(place.resolve("disk"));
        Files.setPosixFilePermissions(place, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(disk, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
        var settings = new ChunkSettings(65536, 4096, 1 << 20);
        try (var executor = Executors.newFixedThreadPool(2);
                var volume = TestVolume.open(engine, new MemoryBlockStore(), settings, executor, clock);
                var mount = mounting.mount(volume.vfs(), temporary, clock);
                var left = new MountPosix(mount.directory());
                var right = new MountPosix(disk)) {
            new Run(seed, left, right, wanted).run(count);
        }
    }

    private static final class Run {
        private final long seed;
        private final Random random;
        private final Program actual;
        private final Program expected;
        private final Predicate<RandomCalls.Step> wanted;
        private final ArrayDeque<String> log = new ArrayDeque<>();

        Run(long seed, Posix actual, Posix expected, Predicate<RandomCalls.Step> wanted) {
            this.wanted = wanted;
            this.seed = seed;
            this.random = new Random(seed);
            this.actual = new Program(actual, Run::words);
            this.expected = new Program(expected, Run::words);
        }

        void run(int count) throws IOException {
            var calls = new RandomCalls(random, 12 * 4096, 4096);
            int done = 0;
            for (int i = 0; i < count; i++) {
                var step = calls.next(expected.openFiles());
                done += wanted.test(step) && step(step) ? 1 : 0;
                if (i % 500 == 499) {
                    assertThat(actual.tree()).as(story("after " + i)).isEqualTo(expected.tree());
                }
            }
            assertThat(actual.tree()).as(story("end")).isEqualTo(expected.tree());
            assertThat(done).as("calls that did something").isPositive();
        }

        /** True if the call was not refused. */
        private boolean step(RandomCalls.Step step) throws IOException {
            log.addLast(step.text());
            if (log.size() > LOG) {
                log.removeFirst();
            }
            String right;
            String answer;
            try {
                right = expected.run(step.call());
                answer = actual.run(step.call());
            } catch (IOException | RuntimeException | Error failure) {
                throw new AssertionError(story(step.text()), failure);
            }
            if (!answer.equals(right)) {
                assertThat(answer).as(story(step.text())).isEqualTo(right);
            }
            return !right.startsWith("refused");
        }

        private String story(String when) {
            return "seed %d, %s%n%s%n".formatted(seed, when, String.join("\n", log));
        }

        private static String words(Attributes found) {
            return "%s %o %d:%d links %d size %d m %s c %s dev %d".formatted(
                    found.kind(), found.mode(), found.uid(), found.gid(), found.links(),
                    found.isDirectory() ? 0 : found.size(), time(found.mtime()), time(found.ctime()), found.device());
        }

        /** A time set by hand as it is; one the file system took from the clock as such. */
        private static String time(long nanos) {
            long now = System.currentTimeMillis() * 1_000_000;
            return Math.abs(now - nanos) < RECENT_NANOS ? "now" : Long.toString(nanos);
        }
    }
}

package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.Name;
import volsh.meta.Consistency;
import volsh.postgrestest.PostgresServer;
import volsh.vfs.TestVolume;

/**
 * What policies promise between two mounts with engines of their own: of one file of SQLite, of one schema of
 * PostgreSQL.
 */
@Tag("mount")
final class SharedConsistencyTest {
    @TempDir
    private Path temporary;

    private interface Story {
        void tell(Run run) throws Exception;
    }

    @TestFactory
    Stream<DynamicTest> stories() {
        return Stream.of("sqlite", "postgres").flatMap(database -> Stream.of(
                DynamicTest.dynamicTest("strict reads what is there, " + database,
                        () -> tell(database, SharedConsistencyTest::strict)), DynamicTest.dynamicTest(
                        "immutable asks once, " + database, () -> tell(database, SharedConsistencyTest::immutable))));
    }

    private void tell(String database, Story story) throws Exception {
        var directory = Files.createDirectories(temporary.resolve(database + UUID.randomUUID()));
        if (database.equals("sqlite")) {
            SqliteMetaEngine.create(directory.resolve("meta.db")).close();
            tell(directory, () -> SqliteMetaEngine.open(directory.resolve("meta.db")), story);
            return;
        }
        var url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        var id = UUID.randomUUID();
        PostgresMetaEngine.create(url, id).close();
        try {
            tell(directory, () -> PostgresMetaEngine.open(url, id), story);
        } finally {
            PostgresMetaEngine.drop(url, id);
        }
    }

    private interface Engines {
        MetaEngine open() throws IOException;
    }

    private static void tell(Path directory, Engines engines, Story story) throws Exception {
        try (var one = engines.open(); var other = engines.open(); var run = new Run(directory, one, other)) {
            story.tell(run);
        }
    }

    /** Nothing but pread on a descriptor that stays open: no lookup, no fstat, no other open. */
    private static void strict(Run run) throws Exception {
        Files.writeString(run.other.directory().resolve("a/f"), "first");
        var file = run.withPolicy("strict").resolve("f");
        try (var writer = FileChannel.open(run.other.directory().resolve("a/f"), StandardOpenOption.WRITE);
                var reader = FileChannel.open(file, StandardOpenOption.READ)) {
            for (int i = 0; i < 20; i++) {
                // sometimes inline, sometimes in blocks, longer and shorter
                String text = (i + " ").repeat(i % 3 == 2 ? 3_000 : 2 + i);
                writer.truncate(text.length());
                writer.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), 0);
                writer.force(true);
                var target = ByteBuffer.allocate(20_000);
                while (target.position() < text.length() && reader.read(target, target.position()) > 0) {
                    // until it is all there
                }
                assertThat(new String(target.array(), 0, target.position(), StandardCharsets.US_ASCII))
                        .as("round %d", i).isEqualTo(text);
            }
        }
    }

    private static void immutable(Run run) throws Exception {
        int count = 60;
        var set = Files.createDirectories(run.other.directory().resolve("a/b/c"));
        for (int i = 0; i < count; i++) {
            Files.write(set.resolve("n" + i), new byte[i * 500]);
        }
        long inner = run.elsewhere.names().lookup(run.elsewhere.names().lookup(1, Name.of("a")).ino(), Name.of("b"))
                .ino();
        run.elsewhere.names().consistencies().set(inner, "/a/b", Consistency.of("immutable"));
        run.mount(Duration.ZERO);   // as a volume that is shared is mounted
        var directory = run.mount.directory();
        long bytes = epoch(directory);
        assertThat(bytes).isEqualTo(500L * count * (count - 1) / 2);
        long least = Long.MAX_VALUE;
        // the machine may want the memory of the kernel's pages
        for (int tries = 0; tries < 10 && least > 0; tries++) {
            long before = run.asked.get();
            long start = System.nanoTime();
            assertThat(epoch(directory)).isEqualTo(bytes);
            // every second or two: whether policies have changed, the directories above
            long looks = 5 * (2 + (System.nanoTime() - start) / 1_000_000_000L);
            least = Math.min(least, run.asked.get() - before - looks);
        }
        assertThat(least).as("what an epoch asks of the metadata, beyond looks at the policies and the "
                + "directories above").isLessThanOrEqualTo(0);
    }

    /** As a program of its own reads a data set. */
    private static long epoch(Path directory) throws Exception {
        var process = new ProcessBuilder("sh", "-c", "find %1$s/a/b -type f | xargs cat | wc -c".formatted(directory))
                .redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        assertThat(process.waitFor()).as(said).isZero();
        return Long.parseLong(said);
    }

    /** Two volumes on engines of their own, one store; what the first asks is counted. */
    private static final class Run implements AutoCloseable {
        private final Path directory;
        private final ExecutorService executor = Executors.newFixedThreadPool(2,
                Thread.ofPlatform().daemon().factory());
        private final MemoryBlockStore store = new MemoryBlockStore();
        private final AtomicLong asked = new AtomicLong();
        private final TestVolume here;
        private final TestVolume elsewhere;
        private final TestMount other;
        private TestMount mount;

        Run(Path directory, MetaEngine one, MetaEngine another) throws IOException {
            this.directory = directory;
            this.elsewhere = open(another);
            this.here = open(new Counted(one, asked));
            this.other = TestMount.of(elsewhere.vfs(), directory, InstantSource.system(),
                    options -> options.withTimeout(Duration.ZERO));
            Files.createDirectory(other.directory().resolve("a"));
        }

        private TestVolume open(MetaEngine engine) throws IOException {
            return TestVolume.open(engine, store, new ChunkSettings(64 << 10, 4096, 4 << 20), executor,
                    InstantSource.system());
        }

        /** Mounts with timeouts so long that nothing but a policy makes the kernel ask. */
        Path withPolicy(String policy) throws IOException {
            long of = elsewhere.names().lookup(1, Name.of("a")).ino();
            elsewhere.names().consistencies().set(of, "/a", Consistency.of(policy));
            mount(Duration.ofHours(1));
            return mount.directory().resolve("a");
        }

        void mount(Duration timeout) throws IOException {
            mount = TestMount.of(here.vfs(), directory, InstantSource.system(),
                    options -> options.withTimeout(timeout));
        }

        @Override
        public void close() throws IOException {
            var mounted = mount;
            try (here; elsewhere; other; mounted) {
                executor.shutdown();
            }
        }
    }

    private record Counted(MetaEngine engine, AtomicLong asked) implements MetaEngine {
        @Override
        public <R> R transact(Work<R> work) throws IOException {
            asked.incrementAndGet();
            return engine.transact(work);
        }

        @Override
        public <R> R read(Work<R> work) throws IOException {
            asked.incrementAndGet();
            return engine.read(work);
        }

        @Override
        public Following follow(Follower follower) {
            return engine.follow(follower);
        }

        @Override
        public void sync() throws IOException {
            engine.sync();
        }

        @Override
        public void close() {}
    }
}

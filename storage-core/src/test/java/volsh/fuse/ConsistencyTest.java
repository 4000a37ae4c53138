package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.hang.Eventually;
import volsh.meta.Consistency;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;
import volsh.vfs.TestVolume;

/** What the policies of directories do on a mount. Another volume over the same metadata is somebody elsewhere. */
@OnPostgres
@Tag("mount")
final class ConsistencyTest {
    private static final int READ = 15;

    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private final MetaEngine engine;
    private final MemoryBlockStore store = new MemoryBlockStore();
    private final AtomicLong asked = new AtomicLong();
    private TestVolume here;
    private TestVolume elsewhere;
    private TestMount mount;
    private TestMount other;

    ConsistencyTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    /** Counts what the mount asks of the metadata. */
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
        public void sync() throws IOException {
            engine.sync();
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void mount() throws IOException {
        elsewhere = open(engine);
        here = open(new Counted(engine, asked));
        other = TestMount.of(elsewhere.vfs(), temporary, InstantSource.system(),
                options -> options.withTimeout(Duration.ZERO));
        Files.createDirectories(other.directory().resolve("a/b"));
        Files.writeString(other.directory().resolve("a/b/f"), "old");
    }

    private TestVolume open(MetaEngine metadata) throws IOException {
        return TestVolume.open(metadata, store, new ChunkSettings(64 << 10, 4096, 4 << 20), executor,
                InstantSource.system());
    }

    @AfterEach
    void unmount() throws IOException {
        mount.close();
        other.close();
        here.close();
        elsewhere.close();
        executor.shutdown();
    }

    /** Mounts with timeouts so long that nothing but a policy makes the kernel ask. */
    private Path withPolicy(String policy) throws IOException {
        long directory = elsewhere.names().lookup(1, volsh.fs.Name.of("a")).ino();
        elsewhere.names().consistencies().set(directory, "/a", Consistency.of(policy));
        mount = TestMount.of(here.vfs(), temporary, InstantSource.system(),
                options -> options.withTimeout(Duration.ofHours(1)));
        return mount.directory().resolve("a/b/f");
    }

    @Test
    void withoutAPolicyTheTimeoutsOfTheMountAreInForce() throws IOException {
        mount = TestMount.of(here.vfs(), temporary, InstantSource.system(),
                options -> options.withTimeout(Duration.ofHours(1)));
        boolean remembers = false;
        for (int i = 0; i < 10 && !remembers; i++) {   // somebody may empty the kernel's caches just then
            var file = Path.of("a/b/f" + i);
            Files.writeString(other.directory().resolve(file), "old");
            assertThat(Files.size(mount.directory().resolve(file))).isEqualTo(3);
            Files.writeString(other.directory().resolve(file), "longer");
            remembers = Files.size(mount.directory().resolve(file)) == 3;
        }
        assertThat(remembers).as("the kernel remembers").isTrue();
    }

    @Test
    void closeToOpenAsksForNamesAndAttributes() throws IOException {
        var file = withPolicy("close-to-open");
        assertThat(Files.size(file)).isEqualTo(3);
        Files.writeString(other.directory().resolve("a/b/f"), "longer");
        assertThat(Files.size(file)).isEqualTo(6);
        assertThat(Files.readString(file)).isEqualTo("longer");
        Files.move(other.directory().resolve("a/b/f"), other.directory().resolve("a/b/g"));
        assertThat(file).doesNotExist();
    }

    @Test
    void strictReadsEveryTime() throws IOException {
        var file = withPolicy("strict");
        try (var channel = Files.newByteChannel(file)) {
            for (String now : new String[] {"one", "two", "six"}) {
                Files.writeString(other.directory().resolve("a/b/f"), now);
                long before = mount.kernel().requests(READ);
                var target = java.nio.ByteBuffer.allocate(3);
                channel.position(0).read(target);
                assertThat(new String(target.array())).isEqualTo(now);
                assertThat(mount.kernel().requests(READ)).as("asked, not from the kernel's pages")
                        .isGreaterThan(before);
            }
        }
    }

    @Test
    void relaxedRemembersForItsTime() throws Exception {
        var file = withPolicy("relaxed:1s");
        assertThat(Files.size(file)).isEqualTo(3);
        Files.writeString(other.directory().resolve("a/b/f"), "longer");
        assertThat(Files.size(file)).as("at once: as old as it may be").isIn(3L, 6L);
        Eventually.value("its time is over", () -> Files.size(file), size -> size == 6);
    }

    @Test
    void immutableIsAskedForOnceAndCannotBeChanged() throws IOException {
        for (int i = 0; i < 50; i++) {
            Files.write(other.directory().resolve("a/b/n" + i), new byte[i * 500]);
        }
        var directory = withPolicy("immutable").getParent();
        epoch(directory);
        epoch(directory);   // the first opening of a file does not keep pages
        long tooMany = Long.MAX_VALUE;
        for (int tries = 0; tries < 10 && tooMany > 0; tries++) {   // somebody may empty the kernel's caches just then
            long before = asked.get();
            long start = System.nanoTime();
            assertThat(epoch(directory)).isEqualTo(50L * 49 / 2 * 500 + 3);
            // whether policies have changed, every two seconds
            long looks = 2 + (System.nanoTime() - start) / 1_000_000_000L;
            tooMany = Math.min(tooMany, asked.get() - before - looks);
        }
        assertThat(tooMany).as("what a later epoch asks of the metadata, beyond that").isLessThanOrEqualTo(0);
        for (FileChange change : new FileChange[] {
            () -> Files.writeString(directory.resolve("f"), "new"),
            () -> Files.writeString(directory.resolve("new"), "new"), () -> Files.delete(directory.resolve("f")),
            () -> Files.move(directory.resolve("f"), directory.resolve("g")), () -> Files.createDirectory(
            directory.resolve("d")), () -> Files.setPosixFilePermissions(directory.resolve("f"), java.util.Set.of())}) {
            assertThatThrownBy(change::run).isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("Operation not permitted");
        }
        Files.writeString(mount.directory().resolve("outside"), "may be written");
    }

    private interface FileChange {
        void run() throws IOException;
    }

    private static long epoch(Path directory) throws IOException {
        long bytes = 0;
        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                bytes += Files.readAllBytes(file).length;
            }
        }
        return bytes;
    }

    @Test
    void aPolicyThatIsSetLaterIsNoticed() throws Exception {
        var file = withPolicy("relaxed:1h");
        long directory = elsewhere.names().lookup(1, volsh.fs.Name.of("a")).ino();
        assertThat(Files.size(file)).isEqualTo(3);
        elsewhere.names().consistencies().set(directory, "/a", new Consistency.CloseToOpen());
        Files.writeString(other.directory().resolve("a/b/f"), "longer");
        var looks = new AtomicInteger();
        Eventually.value("the new policy is noticed, by some lookup", () -> {
            Files.exists(mount.directory().resolve("anything" + looks.getAndIncrement()));
            return Files.size(file);
        }, size -> size == 6);
        assertThat(elsewhere.names().consistencies().unset(directory)).isTrue();
        assertThat(elsewhere.names().consistencies().unset(directory)).isFalse();
        assertThat(elsewhere.names().consistencies().rules()).isEmpty();
    }
}

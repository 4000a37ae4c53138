package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Advice;
import volsh.fs.Name;
import volsh.hang.Eventually;
import volsh.system.Residency;
import volsh.vfs.TestVolume;

/** What mounts load and keep of files whose readers were announced, and, for comparison, of others. */
@Tag("mount")
final class AdviceTest {
    private static final int SIZE = 24 << 20;
    private static final int FRAME = 128 << 10;
    private static final long CACHE = 192L << 20;

    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());
    private TestVolume volume;
    private TestMount mount;

    /** The bytes are written by another volume over the same store: this one has read nothing yet. */
    @BeforeEach
    void mount() throws IOException {
        var engine = new MemoryMetaEngine();
        var store = new MemoryBlockStore();
        var settings = new ChunkSettings(4 << 20, 4096, 16 << 20, CACHE);
        try (var writer = TestVolume.open(engine, store, settings, executor, InstantSource.system());
                var writing = TestMount.of(writer.vfs(), temporary, InstantSource.system())) {
            for (var name : new String[] {"advised", "other"}) {
                Files.createDirectories(writing.directory().resolve(name));
                for (int i = 0; i < 2; i++) {
                    var bytes = new byte[SIZE];
                    new Random(i).nextBytes(bytes);
                    Files.write(writing.directory().resolve(name + "/f" + i), bytes);
                }
            }
        }
        volume = TestVolume.open(engine, store, settings, executor, InstantSource.system());
    }

    @AfterEach
    void unmount() throws IOException {
        mount.close();
        volume.close();
        executor.shutdown();
    }

    private Path mounted(Advice advice) throws IOException {
        advise("advised", advice);
        return mounted();
    }

    private Path mounted() throws IOException {
        mount = TestMount.of(volume.vfs(), temporary, InstantSource.system());
        return mount.directory();
    }

    private void advise(String name, Advice advice) throws IOException {
        volume.names().advice().set(volume.names().lookup(1, Name.of(name)).ino(), "/" + name, advice);
    }

    private static void readAll(Path file) throws IOException {
        try (var channel = FileChannel.open(file)) {
            var piece = ByteBuffer.allocate(FRAME);
            long read = 0;
            for (int count = channel.read(piece); count >= 0; count = channel.read(piece.clear())) {
                read += count;
            }
            assertThat(read).isEqualTo(SIZE);
        }
    }

    private static void readSmall(FileChannel channel, long offset) throws IOException {
        assertThat(channel.read(ByteBuffer.allocate(100), offset)).isEqualTo(100);
    }

    private long passed() {
        return volume.caches().memory().passed();
    }

    private long ahead() {
        return volume.caches().memory().prefetched();
    }

    private static long resident(Path file) throws IOException {
        return Residency.of(file).resident().bytes();
    }

    @Test
    void whatASequentialReaderHasPassedIsLetGo() throws IOException {
        var root = mounted(Advice.SEQUENTIAL);
        readAll(root.resolve("advised/f0"));
        Eventually.holds("frames are let go, but for those of the last answers of threads",
                () -> passed() >= SIZE / FRAME * 3 / 4);
        Eventually.value("the kernel lets go of its pages", () -> resident(root.resolve("advised/f0")),
                left -> left < SIZE / 8);
        long before = passed();

        readAll(root.resolve("other/f0"));
        assertThat(passed()).as("without advice").isEqualTo(before);
        assertThat(resident(root.resolve("other/f0"))).isGreaterThan(SIZE / 2);
        assertThat(volume.caches().memory().bytes()).as("what is kept: the other file")
                .isBetween(SIZE / 2L, SIZE + (8L << 20));
    }

    @Test
    void theFirstReadOfASequentialReaderLoadsAhead() throws IOException {
        var root = mounted(Advice.SEQUENTIAL);
        try (var other = FileChannel.open(root.resolve("other/f0"));
                var advised = FileChannel.open(root.resolve("advised/f0"))) {
            readSmall(other, 1 << 20);
            assertThat(ahead()).as("without advice, one read is no reason").isZero();
            readSmall(advised, 1 << 20);
            Eventually.holds("it loads ahead", () -> ahead() >= (6 << 20) / FRAME);
        }
    }

    @Test
    void nothingIsLoadedAheadOfARandomReader() throws IOException {
        var root = mounted(Advice.RANDOM);
        readAll(root.resolve("advised/f0"));
        assertThat(ahead()).isZero();
        readAll(root.resolve("other/f0"));
        assertThat(ahead()).as("without advice").isPositive();
    }

    @Test
    void theRestOfABlockIsNotFetchedForARandomReader() throws IOException {
        var root = mounted(Advice.RANDOM);
        try (var other = FileChannel.open(root.resolve("other/f1"));
                var advised = FileChannel.open(root.resolve("advised/f1"))) {
            for (int i = 30; i > 0; i--) {
                readSmall(advised, (long) i * FRAME);
            }
            for (int i = 30; i > 0 && volume.caches().completed().blocks() == 0; i--) {
                readSmall(other, (long) i * FRAME);
            }
            Eventually.holds("without advice it is", () -> volume.caches().completed().blocks() > 0);
            assertThat(volume.caches().completed().blocks()).as("and only then").isEqualTo(1);
        }
    }

    @Test
    void theNearestAdviceCounts() throws IOException {
        long directory = volume.names().lookup(1, Name.of("advised")).ino();
        volume.names().advice().set(volume.names().lookup(directory, Name.of("f1")).ino(), "/advised/f1",
                Advice.NORMAL);
        var root = mounted(Advice.SEQUENTIAL);
        readAll(root.resolve("advised/f1"));
        assertThat(passed()).isZero();
        readAll(root.resolve("advised/f0"));
        assertThat(passed()).isPositive();
    }

    @Test
    void mountsFollowChanges() throws IOException {
        var root = mounted();
        readAll(root.resolve("advised/f0"));
        assertThat(passed()).isZero();
        advise("advised", Advice.SEQUENTIAL);
        Eventually.holds("it follows", () -> {
            readAll(root.resolve("advised/f0"));
            return passed() > 0;
        });
        assertThat(volume.names().advice().unset(volume.names().lookup(1, Name.of("advised")).ino())).isTrue();
        Eventually.holds("it follows again", () -> {
            long before = passed();
            readAll(root.resolve("advised/f0"));
            return passed() == before;
        });
    }
}

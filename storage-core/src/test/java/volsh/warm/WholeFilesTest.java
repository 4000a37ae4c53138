package volsh.warm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.MemoryCache;
import volsh.cache.disk.BlockSet;
import volsh.cache.disk.CacheDirectory;
import volsh.cache.disk.CacheSpace;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.disk.PastTheCache;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.Attributes;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fuse.BackingFiles;
import volsh.fuse.TestMount;
import volsh.hang.Eventually;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Files that the kernel reads by itself, from whole copies in a cache directory. */
@Tag("mount")
final class WholeFilesTest {
    private static final int READ = 15;
    private static final int BLOCK = 1 << 20;
    private static final int SIZE = 3 * BLOCK + 5;

    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private final ExecutorService writer = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().factory());
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicBoolean fixed = new AtomicBoolean(true);
    private MetaEngine engine;
    private TestVolume volume;
    private WholeFiles files;
    private @Nullable TestMount mount;

    @BeforeEach
    void open() throws IOException {
        assumeThat(TestMount.passesThrough()).as("the kernel reads backing files").isTrue();
        engine = SqliteMetaEngine.create(temporary.resolve("meta.db"));
        var tier = new CacheDirectory(new OsDisk(), temporary.resolve("cache"),
                new CacheSpace(1 << 30, 0, () -> Long.MAX_VALUE), writer);
        volume = TestVolume.open(engine, new MemoryBlockStore(), new ChunkSettings(BLOCK, 4096, 8 << 20), executor,
                InstantSource.system(), new MemoryCache(0, 1), tier);
        mount(1 << 30);
    }

    private void mount(long quota) throws IOException {
        end();
        files = new WholeFiles(volume.vfs(), volume.caches(), new OsDisk(), temporary.resolve("cache"), quota,
                bytes -> true, true, nanos::get);
        mount = TestMount.expanding(volume.vfs(), temporary, InstantSource.system(), new BackingFiles() {
            @Override
            public boolean areAllFixed() {
                return fixed.get();
            }

            @Override
            public @Nullable BackingFile find(Attributes file) {
                return files.find(file);
            }
        });
    }

    private void end() throws IOException {
        if (mount != null) {
            mount.close();
            files.close();
            assertThat(files.usage().bytes()).as("all copies are gone").isZero();
        }
    }

    @AfterEach
    void close() throws IOException {
        executor.shutdown();
        writer.shutdown();
        if (mount != null) {
            end();
            volume.close();
            engine.close();
        }
    }

    /** The file as it is now; its blocks are in the cache directory, because it was just written. */
    private Attributes write(String name, byte[] bytes) throws IOException {
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes));
            file.fsync();
        }
        Eventually.result("its blocks are in the cache directory", writer.submit(() -> { }));
        return volume.vfs().lookup(Vfs.ROOT, Name.of(name));
    }

    private Path path(String name) {
        return Objects.requireNonNull(mount).directory().resolve(name);
    }

    /** Open, without the kernel's own cache: what it reads is a request, or comes from a copy. */
    private FileChannel channel(String name) throws IOException {
        return FileChannel.open(path(name), StandardOpenOption.READ, PastTheCache.option().orElseThrow());
    }

    private static byte[] read(FileChannel file) throws IOException {
        int size = Math.toIntExact(file.size());
        var buffer = ByteBuffer.allocateDirect(size + 2 * 4096).alignedSlice(4096);
        while (buffer.position() < size && file.read(buffer, buffer.position()) > 0) {
            // until its end
        }
        var bytes = new byte[size];
        buffer.get(0, bytes);
        return bytes;
    }

    private byte[] read(String name) throws IOException {
        try (var file = channel(name)) {
            return read(file);
        }
    }

    private long requests() {
        return Objects.requireNonNull(mount).kernel().requests(READ);
    }

    /** Opens it until there is a copy. */
    private void copied(String name) throws IOException {
        long made = files.usage().made();
        Eventually.holds("the file is copied", () -> {
            read(name);   // what it loads is in the cache directory a little later
            return files.usage().made() > made;
        });
    }

    /** And until it is read from there: the kernel says later that a file was closed. */
    private void heat(String name) throws IOException {
        copied(name);
        Eventually.holds("the kernel reads it by itself", () -> {
            long before = files.usage().opens();
            read(name);
            return files.usage().opens() > before;
        });
    }

    @Test
    void aHotFileIsReadWithoutRequests() throws IOException {
        byte[] bytes = noise(SIZE, 1);
        write("a", bytes);
        long before = requests();
        assertThat(read("a")).isEqualTo(bytes);
        assertThat(requests()).as("control: it is read by requests").isGreaterThan(before);
        heat("a");
        before = requests();
        long opens = files.usage().opens();
        assertThat(read("a")).isEqualTo(bytes);
        try (var one = channel("a"); var other = channel("a")) {
            assertThat(read(one)).isEqualTo(bytes);
            assertThat(read(other)).isEqualTo(bytes);
        }
        try (var mapped = FileChannel.open(path("a"))) {
            var view = new byte[SIZE];
            mapped.map(MapMode.READ_ONLY, 0, SIZE).get(view);
            assertThat(view).isEqualTo(bytes);
        }
        assertThat(requests()).isEqualTo(before);
        assertThat(files.usage().opens() - opens).isEqualTo(4);
        assertThat(temporary.resolve("cache")).isDirectoryNotContaining("glob:**/.whole*");
    }

    /** All opens of a file are alike: one that is open in the usual way stays so, until the last one is closed. */
    @Test
    void aFileThatIsOpenStaysAsItIs() throws IOException {
        byte[] bytes = noise(SIZE, 2);
        write("a", bytes);
        try (var first = channel("a")) {
            copied("a");
            long before = requests();
            assertThat(read("a")).isEqualTo(bytes);
            assertThat(read(first)).isEqualTo(bytes);
            assertThat(requests()).isGreaterThan(before);
        }
        Eventually.holds("the kernel has closed it", () -> {
            long before = files.usage().opens();
            read("a");
            return files.usage().opens() > before;
        });
    }

    @Test
    void aFileThatMayChangeIsNotPassed() throws IOException {
        write("a", noise(SIZE, 3));
        heat("a");
        fixed.set(false);
        Eventually.holds("the kernel has closed it", () -> {
            long before = requests();
            try {
                read("a");
            } catch (FileSystemException busy) {
                return false;
            }
            return requests() > before;
        });
        fixed.set(true);
        Eventually.holds("the kernel reads it by itself", () -> {
            long opens = files.usage().opens();
            read("a");
            return files.usage().opens() > opens;
        });
        long before = requests();
        try (var held = channel("a")) {
            assertThat(requests()).isEqualTo(before);
            fixed.set(false);
            assertThatThrownBy(() -> channel("a")).as("the kernel could only give old bytes")
                    .hasMessageContaining("busy");
            assertThat(held.isOpen()).isTrue();
        }
    }

    @Test
    void anotherVersionIsNotReadFromTheCopyOfTheFirst() throws IOException {
        write("a", noise(SIZE, 4));
        heat("a");
        byte[] other = noise(SIZE, 5);
        try (var file = volume.vfs().open(volume.vfs().lookup(Vfs.ROOT, Name.of("a")).ino())) {
            file.write(0, ByteBuffer.wrap(other));
            file.fsync();
        }
        Eventually.holds("the kernel has closed it", () -> {
            try {
                return Arrays.equals(read("a"), other);
            } catch (FileSystemException busy) {
                return false;
            }
        });
    }

    @Test
    void damageIsFoundWhenACopyIsOld() throws IOException {
        byte[] bytes = noise(SIZE, 6);
        var file = write("a", bytes);
        heat("a");
        byte[] damaged = bytes.clone();
        damaged[2 * BLOCK + 7] ^= 1;
        try (var copy = Objects.requireNonNull(files.find(file)); var target = FileChannel.open(
                Path.of("/proc/self/fd/" + copy.descriptor()), StandardOpenOption.WRITE)) {
            target.write(ByteBuffer.wrap(damaged, 2 * BLOCK + 7, 1), 2 * BLOCK + 7);
        }
        assertThat(read("a")).as("control: nobody checks what the kernel reads").isEqualTo(damaged);
        nanos.addAndGet(Duration.ofDays(2).toNanos());
        Eventually.holds("an old copy is not used, once the kernel has closed it, and compared", () -> {
            read("a");
            return files.usage().damaged() == 1;
        });
        assertThat(read("a")).isEqualTo(bytes);
        heat("a");
        long before = requests();
        assertThat(read("a")).isEqualTo(bytes);
        assertThat(requests()).isEqualTo(before);
    }

    @Test
    void aFileOfWhichBlocksAreMissingIsNotCopied() throws IOException {
        var file = write("a", noise(SIZE, 7));
        var rows = volume.vfs().content(file.ino(), 0, SIZE).blocks();
        var gone = new BlockSet.Builder();
        gone.add(rows.keySet().iterator().next(), BLOCK);
        assertThat(volume.caches().requests().evict(gone.build())).isPositive();
        long made = files.usage().made();
        for (int i = 0; i < 2; i++) {
            try (var open = channel("a")) {
                assertThat(open.size()).isEqualTo(SIZE);
            }
        }
        write("b", noise(SIZE, 8));
        heat("b");   // after a: there is one thread
        assertThat(files.usage().made() - made).isEqualTo(1);
        copied("a");   // reading has loaded the block
    }

    /** Room for one copy. One that is open is not let go; it counts until it is closed. */
    @Test
    void copiesKeepToTheirQuota() throws IOException {
        mount(SIZE + 1000);
        write("a", noise(SIZE, 10));
        write("b", noise(SIZE, 11));
        heat("a");
        try (var open = channel("a")) {
            read("b");
            read("b");
            Eventually.value("there is no room", files::usage, usage -> usage.refused() == 1);
            assertThat(read(open)).isEqualTo(noise(SIZE, 10));
            assertThat(files.usage().bytes()).isEqualTo(SIZE);
        }
        Eventually.holds("the kernel has closed it", () -> {
            read("b");
            return files.usage().made() == 2;
        });
        assertThat(files.usage()).isEqualTo(new WholeFiles.Usage(1, SIZE, SIZE + 1000, files.usage().opens(),
                files.usage().openedBytes(), 2, files.usage().refused(), 1, 0));
    }
}

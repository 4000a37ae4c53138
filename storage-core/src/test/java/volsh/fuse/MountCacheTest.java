package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.hang.Eventually;
import volsh.vfs.MountPosix;
import volsh.vfs.Posix;
import volsh.vfs.TestVolume;
import volsh.vfs.VfsPosix;

/** What the kernel remembers of a volume that another session changes: never too long, and no shorter than it may. */
@Tag("mount")
final class MountCacheTest {
    private static final int LOOKUP = 1;
    private static final int GETATTR = 3;
    private static final int READ = 15;
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private MetaEngine engine;
    private TestVolume volume;
    private TestVolume elsewhere;
    private TestMount mount;
    private Posix here;
    private Posix there;

    @BeforeEach
    void mount() throws IOException {
        engine = SqliteMetaEngine.create(temporary.resolve("meta.db"));
        var store = new MemoryBlockStore();
        var settings = new ChunkSettings(64 << 10, 4096, 4 << 20, 4 << 20);
        volume = TestVolume.open(engine, store, settings, executor, InstantSource.system());
        elsewhere = TestVolume.open(engine, store, settings, executor, InstantSource.system());
        there = new VfsPosix(elsewhere.vfs());
        mount(LONG);
    }

    private void mount(Duration timeout) throws IOException {
        mount = TestMount.of(volume.vfs(), temporary, InstantSource.system(),
                options -> TestMount.withTimeout(options, timeout));
        here = new MountPosix(mount.directory());
    }

    @AfterEach
    void unmount() throws IOException {
        here.close();
        mount.close();
        there.close();
        elsewhere.close();
        volume.close();
        engine.close();
        executor.shutdown();
    }

    private long reads() {
        return mount.kernel().requests(READ);
    }

    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new java.util.Random(seed).nextBytes(bytes);
        return bytes;
    }

    /**
     * Makes a file of this name, and looks what the kernel asks for.
     * @return whether it asked for nothing that it had been told
     */
    @FunctionalInterface
    private interface Situation {
        boolean keeps(String file) throws IOException;
    }

    /**
     * Anybody may empty the kernel's caches meanwhile, as benches do: it kept what it knew in one of ten tries, or it
     * never does.
     */
    private static void assertKeeps(Situation situation) throws IOException {
        boolean keeps = false;
        for (int i = 0; i < 10 && !keeps; i++) {
            keeps = situation.keeps("/f" + i);
        }
        assertThat(keeps).as("the kernel asks once").isTrue();
    }

    @Test
    void anUnchangedFileIsReadOnce() throws IOException {
        assertKeeps(file -> {
            there.save(file, bytes(1 << 20, 1));
            long before = reads();
            assertThat(here.load(file)).isEqualTo(bytes(1 << 20, 1));
            long reads = reads();
            assertThat(reads).isGreaterThan(before);
            for (int i = 0; i < 3; i++) {
                assertThat(here.load(file)).isEqualTo(bytes(1 << 20, 1));
            }
            return reads() == reads;
        });
    }

    /** Without it the kernel asks for 128 KiB at a time. */
    @Test
    void aFileReadFromFrontToBackIsAskedForAMegabyteAtATime() throws IOException {
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < 10 && fewest > 64; i++) {   // where memory is short the kernel reads less ahead
            there.save("/long" + i, bytes(32 << 20, 3));
            long before = reads();
            assertThat(here.load("/long" + i)).isEqualTo(bytes(32 << 20, 3));
            fewest = Math.min(fewest, reads() - before);
        }
        assertThat(fewest).as("requests for 32 MiB").isBetween(32L, 64L);
    }

    @Test
    void whatWasWrittenHereIsNotReadAgain() throws IOException {
        assertKeeps(file -> {
            long before = reads();
            here.save(file, bytes(1 << 20, 1));
            awaitReleased(file);
            assertThat(here.load(file)).isEqualTo(bytes(1 << 20, 1));
            int open = here.open(file, Posix.READ_WRITE, 0);
            here.pwrite(open, bytes(100_000, 2), 4096);
            here.close(open);
            awaitReleased(file);
            byte[] both = bytes(1 << 20, 1);
            System.arraycopy(bytes(100_000, 2), 0, both, 4096, 100_000);
            assertThat(here.load(file)).isEqualTo(both);
            return reads() == before;
        });
    }

    /** The kernel releases a file after its close has returned. */
    private void awaitReleased(String path) throws IOException {
        long ino = here.stat(path).ino();
        Eventually.holds("%s is released".formatted(path), () -> !volume.vfs().openFiles().contains(ino));
        assertThat(volume.vfs().openFiles().contains(ino)).as("%s is open", path).isFalse();
    }

    @Test
    void aFileChangedElsewhereIsReadAgainWhenItIsOpened() throws IOException {
        for (int size : new int[] {10, 3000, 5000, 70_000, 200_000, 100, 0, 65_536}) {
            there.save("/f", bytes(size, size));
            assertThat(here.load("/f")).as("size %d", size).isEqualTo(bytes(size, size));
            assertThat(here.load("/f")).as("size %d again", size).isEqualTo(bytes(size, size));
        }
    }

    @Test
    void aFileChangedInPlaceElsewhereIsReadAgainWhenItIsOpened() throws IOException {
        there.save("/f", bytes(100_000, 1));
        byte[] right = bytes(100_000, 1);
        for (int i = 0; i < 5; i++) {
            assertThat(here.load("/f")).isEqualTo(right);
            int file = there.open("/f", Posix.READ_WRITE, 0);
            there.pwrite(file, bytes(7, i), 40_000 + i * 10);
            there.close(file);
            System.arraycopy(bytes(7, i), 0, right, 40_000 + i * 10, 7);
        }
        assertThat(here.load("/f")).isEqualTo(right);
    }

    @Test
    void aFileChangedElsewhereBetweenOurWritesIsReadAgain() throws IOException {
        here.save("/f", bytes(100_000, 1));
        awaitReleased("/f");
        int theirs = there.open("/f", Posix.READ_WRITE, 0);
        there.pwrite(theirs, bytes(100, 2), 50_000);
        there.close(theirs);
        int ours = here.open("/f", Posix.WRITE, 0);
        here.pwrite(ours, bytes(100, 3), 0);
        here.close(ours);
        byte[] right = bytes(100_000, 1);
        System.arraycopy(bytes(100, 2), 0, right, 50_000, 100);
        System.arraycopy(bytes(100, 3), 0, right, 0, 100);
        assertThat(here.load("/f")).isEqualTo(right);
    }

    @Test
    void aFileReplacedElsewhereIsTheNewOneWhenItIsOpened() throws IOException {
        there.save("/f", "old");
        assertThat(here.text("/f")).isEqualTo("old");
        for (int i = 0; i < 5; i++) {
            there.save("/new", "new " + i);
            there.rename("/new", "/f");
            assertThat(here.text("/f")).isEqualTo("new " + i);
        }
    }

    @Test
    void aFileReplacedElsewhereWhileItIsOpenHereIsTheNewOneWhenItIsOpenedAgain() throws IOException {
        there.save("/f", "old");
        int open = here.open("/f", Posix.READ, 0);
        there.save("/new", "new");
        there.rename("/new", "/f");
        assertThat(here.text("/f")).isEqualTo("new");
        here.close(open);
    }

    @Test
    void namesAndAttributesAreAskedForOnceWithinTheTimeout() throws IOException {
        there.mkdir("/d", 0755);
        assertKeeps(file -> {
            there.save("/d" + file, "x");
            here.stat("/d" + file);
            long lookups = mount.kernel().requests(LOOKUP);
            long attributes = mount.kernel().requests(GETATTR);
            for (int i = 0; i < 10; i++) {
                here.stat("/d" + file);
            }
            return mount.kernel().requests(LOOKUP) == lookups && mount.kernel().requests(GETATTR) == attributes;
        });
    }

    @Test
    void namesAndAttributesAreAskedForEachTimeWithoutATimeout() throws IOException {
        here.close();
        mount.close();
        mount(Duration.ZERO);
        there.mkdir("/d", 0755);
        there.save("/d/f", "x");
        for (int i = 0; i < 5; i++) {
            there.chmod("/d/f", 0600 + i);
            assertThat(here.stat("/d/f").mode()).isEqualTo(0600 + i);
            there.rename("/d/f", "/d/g");
            assertThat(here.list("/d")).containsExactly("g");
            there.rename("/d/g", "/d/f");
            there.save("/d/f", "x".repeat(i));
            assertThat(here.stat("/d/f").size()).isEqualTo(i);
        }
        assertThat(mount.kernel().requests(LOOKUP)).isGreaterThanOrEqualTo(10);
    }

    @Test
    void anOpenFileUnlinkedElsewhereStaysReadable() throws IOException {
        there.save("/f", bytes(100_000, 1));
        int file = here.open("/f", Posix.READ, 0);
        there.unlink("/f");
        elsewhere.reclaim();
        assertThat(here.load(file)).isEqualTo(bytes(100_000, 1));
        here.close(file);
    }

    @Test
    void anUnlinkedFileIsOpenedAgainThroughItsDescriptor() throws Exception {
        here.save("/f", "hello");
        var said = Programs.shell(mount.directory(), "exec 3< f; rm f; cat /proc/self/fd/3");
        assertThat(said).isEqualTo("hello");
        assertThat(Files.exists(mount.directory().resolve("f"))).isFalse();
    }
}

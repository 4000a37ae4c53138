package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
import volsh.meta.EngineKind;
import volsh.meta.OnEveryEngine;
import volsh.meta.Quotas;
import volsh.quota.QuotaRule;
import volsh.vfs.TestVolume;

/** What a program sees of a file whose bytes a quota had no room for. */
@OnEveryEngine
@Tag("mount")
final class QuotaMountTest {
    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private final MetaEngine engine;
    private TestVolume volume;

    QuotaMountTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    @BeforeEach
    void open() throws IOException {
        volume = TestVolume.open(engine, new MemoryBlockStore(), new ChunkSettings(64 << 10, 4096, 4 << 20), executor,
                InstantSource.system());
        new Quotas(engine, InstantSource.system(), volume.session().id()).set(50_000, QuotaRule.NONE);
    }

    @AfterEach
    void close() throws IOException {
        volume.close();
        executor.shutdown();
    }

    /**
     * Writes more than fits, now and then looking at the file meanwhile, and looks again as soon as close has failed. A
     * mount that is kept from running for a tenth of a second may be late with what the kernel told it after that, so
     * one look in a while may be.
     */
    private static final String PROGRAM = """
            import errno, os, sys, time
            seen = set(); late = 0
            def look(size):
                global late
                found = size()
                if found == 60000: late += 1
                while found == 60000: time.sleep(0.1); found = size()
                seen.add(found)
            def read():
                with open('f', 'rb') as f: return len(f.read())
            def write(i, size):
                f = os.open('f', os.O_WRONLY | os.O_CREAT)
                os.write(f, b'x' * size)
                if i % 2: os.stat('f'), list(os.scandir('.'))
                try: os.close(f)
                except OSError as refused: seen.add(refused.errno == errno.EDQUOT)
            for i in range(int(sys.argv[1])):
                write(i, 5000)
                write(i, 60000)
                look([lambda: os.stat('f').st_size, lambda: max(e.stat().st_size for e in os.scandir('.')), read][i % 3])
            print(sorted(seen), late * 3 < int(sys.argv[1]))
            """;

    @Test
    void aFileIsAsLongAsItWasWhenCloseHasFailed() throws Exception {
        try (var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system(),
                options -> options.withTimeout(Duration.ofMinutes(1)))) {
            assertThat(Programs.run(mount.directory(), "python3", "-c", PROGRAM, "30"))
                    .isEqualToIgnoringWhitespace("[True, 5000] True");
        }
    }

    /** A copy shares blocks, and counts in full. */
    @Test
    void aCopyThatDoesNotFitIsRefused() throws Exception {
        try (var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system())) {
            assertThat(Programs.run(mount.directory(), "python3", "-c", """
                    import errno, os
                    open('f', 'wb').write(b'x' * 30000)
                    f = os.open('f', os.O_RDONLY); g = os.open('g', os.O_RDWR | os.O_CREAT)
                    print(os.copy_file_range(f, g, 10000, 0, 0))
                    try: print(os.copy_file_range(f, g, 30000, 0, 10000))
                    except OSError as refused: print(refused.errno == errno.EDQUOT)
                    print(os.fstat(g).st_size); os.close(g)
                    """)).isEqualToIgnoringWhitespace("10000 True 10000");
        }
    }

    /** Only what makes a file longer counts. */
    @Test
    void whatDoesNotFitIsNotReserved() throws Exception {
        try (var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system())) {
            assertThat(Programs.run(mount.directory(), "python3", "-c", """
                    import ctypes, errno, os
                    libc = ctypes.CDLL(None, use_errno=True)
                    f = os.open('f', os.O_RDWR | os.O_CREAT); os.write(f, b'x' * 30000); os.fsync(f)
                    for mode, length in ((0, 60000), (0, 2 << 20), (1, 2 << 20), (0, 40000)):
                        done = libc.fallocate(f, mode, ctypes.c_long(0), ctypes.c_long(length)) == 0
                        print(done or ctypes.get_errno() == errno.EDQUOT and 'over', os.fstat(f).st_size)
                    """)).isEqualToIgnoringWhitespace("over 30000 over 30000 True 30000 True 40000");
        }
    }

    /** Where the kernel asks each time, and others may have the volume mounted. */
    @Test
    void theSameWithoutTimeouts() throws Exception {
        try (var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system(),
                options -> options.withTimeout(Duration.ZERO))) {
            assertThat(Programs.run(mount.directory(), "python3", "-c", PROGRAM, "30"))
                    .isEqualToIgnoringWhitespace("[True, 5000] True");
        }
    }

    /**
     * Somebody else still has the file open: nobody is kept waiting for long, and once the last has closed it, it is as
     * long as it was.
     */
    @Test
    void whoeverClosesLastIsToldToo() throws Exception {
        try (var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system())) {
            assertThat(Programs.run(mount.directory(), "python3", "-c", """
                    import errno, os, time
                    f = os.open('f', os.O_WRONLY | os.O_CREAT)
                    g = os.dup(f)
                    os.write(f, b'x' * 60000)
                    for one in (f, g):
                        try: os.close(one); print('closed')
                        except OSError as refused: print(refused.errno == errno.EDQUOT)
                        os.stat('f')
                    while os.stat('f').st_size == 60000: time.sleep(0.1)   # a mount that is kept from running is late
                    print(os.stat('f').st_size)
                    """)).isEqualToIgnoringWhitespace("True True 0");
        }
    }
}

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.meta.MetaEngine;
import volsh.meta.QuotaRule;
import volsh.meta.Quotas;
import volsh.meta.sqlite.SqliteMetaEngine;
import volsh.vfs.TestVolume;

/** What a program sees of a file whose bytes a quota had no room for. */
final class QuotaMountTest {
    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private MetaEngine engine;
    private TestVolume volume;

    @BeforeEach
    void open() throws IOException {
        engine = SqliteMetaEngine.create(temporary.resolve("meta.db"));
        volume = TestVolume.open(engine, new MemoryBlockStore(), new ChunkSettings(64 << 10, 4096, 4 << 20), executor, InstantSource.system());
        new Quotas(engine, InstantSource.system(), volume.session().id()).set(50_000, QuotaRule.NONE);
    }

    @AfterEach
    void close() throws IOException {
        volume.close();
        engine.close();
        executor.shutdown();
    }

    /** Writes more than fits, now and then looking at the file meanwhile, and looks again as soon as close has failed. */
    private static final String PROGRAM = """
            import errno, os, sys
            seen = set()
            def write(i, size):
                f = os.open('f', os.O_WRONLY | os.O_CREAT)
                os.write(f, b'x' * size)
                if i % 2: os.stat('f'), list(os.scandir('.'))
                try: os.close(f)
                except OSError as refused: seen.add(refused.errno == errno.EDQUOT)
            for i in range(int(sys.argv[1])):
                write(i, 5000)
                write(i, 60000)
                if i % 3 == 0: seen.add(os.stat('f').st_size)
                elif i % 3 == 1: seen.update(e.stat().st_size for e in os.scandir('.'))
                else:
                    with open('f', 'rb') as f: seen.add(len(f.read()))
            print(sorted(seen))
            """;

    @Test
    void aFileIsAsLongAsItWasWhenCloseHasFailed() throws Exception {
        try (var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system(), options -> options.withTimeout(Duration.ofMinutes(1)))) {
            assertThat(Programs.run(mount.directory(), "python3", "-c", PROGRAM, "30")).isEqualToIgnoringWhitespace("[True, 5000]");
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

    /** Where the kernel asks each time, and others may have the volume mounted. */
    @Test
    void theSameWithoutTimeouts() throws Exception {
        try (var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system(), options -> options.withTimeout(Duration.ZERO))) {
            assertThat(Programs.run(mount.directory(), "python3", "-c", PROGRAM, "30")).isEqualToIgnoringWhitespace("[True, 5000]");
        }
    }

    /** Somebody else still has the file open: nobody is kept waiting for long, and once the last has closed it, it is as long as it was. */
    @Test
    void whoeverClosesLastIsToldToo() throws Exception {
        try (var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system())) {
            assertThat(Programs.run(mount.directory(), "python3", "-c", """
                    import errno, os
                    f = os.open('f', os.O_WRONLY | os.O_CREAT)
                    g = os.dup(f)
                    os.write(f, b'x' * 60000)
                    for one in (f, g):
                        try: os.close(one); print('closed')
                        except OSError as refused: print(refused.errno == errno.EDQUOT)
                        os.stat('f')
                    print(os.stat('f').st_size)
                    """)).isEqualToIgnoringWhitespace("True True 0");
        }
    }
}

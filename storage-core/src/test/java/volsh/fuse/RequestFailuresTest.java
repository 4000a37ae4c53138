package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.block.UnavailableException;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;
import volsh.meta.EngineKind;
import volsh.meta.OnPostgres;
import volsh.vfs.TestVolume;

/** What a program is told of a failure that comes from below. */
@OnPostgres
@Tag("mount")
final class RequestFailuresTest {
    private static final int EINTR = 4;
    private static final int EIO = 5;
    private static final int ENOSPC = 28;
    private static final int EDQUOT = 122;
    private static final Logger LOG = Logger.getLogger("volsh.fuse");

    private final EngineKind kind;

    RequestFailuresTest(EngineKind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void quiet() {
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void loud() {
        LOG.setLevel(null);
    }

    private static int errno(Throwable failed) {
        return RequestFailures.errno(failed, () -> "a request");
    }

    private static IOException silence() {
        return new UnavailableException("gave up",
                new IOException("failed to put", new SocketTimeoutException("no data was transferred")));
    }

    /** A timeout is an interruption to Java, and EINTR to a program means: try again. It would, for ever. */
    @Test
    void aSilentStoreIsAnError() {
        assertThat(errno(silence())).isEqualTo(EIO);
        assertThat(errno(new SocketTimeoutException("connect timed out"))).isEqualTo(EIO);
    }

    @Test
    void whoWasInterruptedIsToldSo() {
        assertThat(errno(new IOException(new InterruptedIOException("interrupted while waiting")))).isEqualTo(EINTR);
    }

    @Test
    void aFullDiskIsNoSpace() {
        assertThat(errno(new IOException("No space left on device"))).isEqualTo(ENOSPC);
        var full = new NoSpaceException("the journal is full", silence());
        assertThat(errno(new UnavailableException("no store, and no journal", full))).isEqualTo(ENOSPC);
        assertThat(errno(new IOException(new FsException(FsError.QUOTA)))).isEqualTo(EDQUOT);
    }

    private static TestMount mounted(boolean libfuse, TestVolume volume, Path temporary) throws IOException {
        var clock = InstantSource.system();
        return libfuse ? TestMount.jnr(volume.vfs(), temporary, clock, options -> options.with(MountFlag.DIRECT_IO))
                : TestMount.of(volume.vfs(), temporary, clock, options -> options.with(MountFlag.DIRECT_IO));
    }

    /** Who reads the events of a mount wants to know which file it is. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsLoggedNamesThePath(boolean libfuse, @TempDir Path temporary) throws IOException {
        var said = new CopyOnWriteArrayList<String>();
        var listener = new Handler() {
            @Override
            public void publish(LogRecord record) {
                said.add(record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        var store = new MemoryBlockStore();
        LOG.setLevel(Level.SEVERE);
        LOG.setUseParentHandlers(false);
        LOG.addHandler(listener);
        try (var volume = TestVolume.open(kind.open(), store, new ChunkSettings(64 << 10, 100, 4 << 20, 0),
                Runnable::run, InstantSource.system());
                var mount = mounted(libfuse, volume, temporary)) {
            var file = Files.createDirectories(mount.directory().resolve("a/b")).resolve("f");
            Files.write(file, new byte[10_000]);
            try (var blocks = store.list("")) {
                blocks.toList().forEach(block -> store.delete(block.key()));
            }
            assertThatThrownBy(() -> Files.readAllBytes(file)).isInstanceOf(IOException.class);
            assertThat(said).anySatisfy(line -> assertThat(line).startsWith("read of /a/b/f (inode "));
        } finally {
            LOG.removeHandler(listener);
            LOG.setUseParentHandlers(true);
        }
    }
}

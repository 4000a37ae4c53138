package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.meta.memory.MemoryMetaEngine;
import volsh.vfs.ManualClock;
import volsh.vfs.MountPosix;
import volsh.vfs.Posix;
import volsh.vfs.TestVolume;
import volsh.vfs.VfsContract;

/** The {@link VfsContract} on a mount through libfuse 2: the same tests, but for what {@link LibfuseDifferences} lists. */
@ExtendWith(LibfuseDifferences.class)
final class JnrMountContractTest implements VfsContract {
    private static final ChunkSettings SETTINGS = new ChunkSettings(4096, 0, 1 << 20);

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());
    private TestVolume volume;
    private TestMount mount;
    private Posix posix;

    @BeforeEach
    void open() throws IOException {
        volume = TestVolume.open(new MemoryMetaEngine(), new MemoryBlockStore(), SETTINGS, executor, clock);
        mount = TestMount.jnr(volume.vfs(), directory, clock);
        posix = new MountPosix(mount.directory());
    }

    @AfterEach
    void leavesNothingBehind() throws IOException {
        try {
            posix.close();
        } finally {
            mount.close();
        }
        assertThat(volume.audit()).isEmpty();
        clock.advance(Duration.ofSeconds(2));
        volume.reclaim();
        assertThat(volume.audit()).isEmpty();
        volume.close();
        volume.engine().close();
        volume.store().close();
        executor.shutdown();
    }

    @Override
    public Posix fs() {
        return posix;
    }

    @Override
    public void letTimePass() {
        clock.advance(Duration.ofMillis(10));
    }

    @Override
    public int blockSize() {
        return SETTINGS.blockSize();
    }

    @Override
    public int many() {
        return 600;
    }

    @Override
    public OptionalLong blocks() throws IOException {
        return OptionalLong.of(volume.blocks());
    }

    @Test
    void everyDifferenceIsATestOfTheContract() {
        assertThat(Stream.of(VfsContract.class.getMethods()).map(Method::getName)).containsAll(LibfuseDifferences.CONTRACT.keySet());
    }
}

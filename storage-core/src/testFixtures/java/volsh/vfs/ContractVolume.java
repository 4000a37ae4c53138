package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import volsh.block.BlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;

/**
 * A new volume for every test of the {@link VfsContract}, in memory unless told otherwise. After each test nothing is
 * lost or left over.
 */
public abstract class ContractVolume implements VfsContract {
    private final ManualClock clock = new ManualClock();
    private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());
    private TestVolume volume;
    private Posix posix;

    protected abstract ChunkSettings settings();

    protected MetaEngine engine() throws IOException {
        return new MemoryMetaEngine();
    }

    protected BlockStore store() throws IOException {
        return new MemoryBlockStore();
    }

    /** How the tests get to the files: by calls of ours, or of the system's on a mount. */
    protected abstract Posix reach(Vfs vfs, ManualClock time) throws IOException;

    /** Undoes {@link #reach}, when its calls are closed. */
    protected void leave() throws IOException {}

    /**
     * Whether all tests have one volume, where making one takes long: then each gets a directory of its own, and
     * {@link #endVolume} is called last.
     */
    protected boolean isShared() {
        return false;
    }

    @BeforeEach
    final void openVolume() throws IOException {
        if (volume == null) {
            volume = TestVolume.open(engine(), store(), settings(), executor, clock);
        }
        posix = reach(volume.vfs(), clock);
    }

    @AfterEach
    final void leavesNothingBehind() throws IOException {
        try {
            posix.close();
        } finally {
            leave();
        }
        if (!isShared()) {
            endVolume();
        }
    }

    /** Nothing is lost or left over. */
    protected final void endVolume() throws IOException {
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
    public final Posix fs() {
        return posix;
    }

    @Override
    public final void letTimePass() {
        clock.advance(Duration.ofMillis(10));
    }

    @Override
    public final int blockSize() {
        return settings().blockSize();
    }

    @Override
    public int many() {
        return 1_500;
    }

    @Override
    public final OptionalLong blocks() throws IOException {
        return OptionalLong.of(volume.blocks());
    }
}

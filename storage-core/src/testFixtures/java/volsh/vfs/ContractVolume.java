package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import volsh.block.BlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.meta.MetaEngine;
import volsh.meta.memory.MemoryMetaEngine;
import volsh.meta.postgres.PostgresMetaEngine;
import volsh.meta.postgres.PostgresUrl;
import volsh.postgrestest.PostgresServer;

/** A new volume for every test of the {@link VfsContract}, in memory unless told otherwise. After each test nothing is lost or left over. */
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

    /** Rows of a new name on the tests' PostgreSQL. */
    protected static MetaEngine postgres() throws IOException {
        try {
            var url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
            return PostgresMetaEngine.create(url, UUID.randomUUID());
        } catch (InterruptedException stop) {
            throw new IllegalStateException(stop);
        }
    }

    @BeforeEach
    final void openVolume() throws IOException {
        volume = TestVolume.open(engine(), store(), settings(), executor, clock);
        posix = reach(volume.vfs(), clock);
    }

    @AfterEach
    final void leavesNothingBehind() throws IOException {
        try {
            posix.close();
        } finally {
            leave();
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

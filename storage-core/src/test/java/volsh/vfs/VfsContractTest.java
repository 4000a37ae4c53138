package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockStore;
import volsh.block.file.FileBlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.meta.MetaEngine;
import volsh.meta.memory.MemoryMetaEngine;
import volsh.meta.postgres.PostgresMetaEngine;
import volsh.meta.postgres.PostgresUrl;
import volsh.meta.sqlite.SqliteMetaEngine;
import volsh.postgrestest.PostgresServer;

/** The {@link VfsContract} on engines, stores, block sizes and inline limits. After each test nothing is lost or left over. */
final class VfsContractTest {
    abstract static class OnVfs implements VfsContract {
        private final ManualClock clock = new ManualClock();
        private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());
        private TestVolume volume;
        private Posix posix;

        abstract ChunkSettings settings();

        abstract MetaEngine engine() throws IOException;

        abstract BlockStore store() throws IOException;

        @BeforeEach
        void open() throws IOException {
            volume = TestVolume.open(engine(), store(), settings(), executor, clock);
            posix = new VfsPosix(volume.vfs());
        }

        @AfterEach
        void leavesNothingBehind() throws IOException {
            posix.close();
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
            return settings().blockSize();
        }

        @Override
        public int many() {
            return 1_500;
        }

        @Override
        public OptionalLong blocks() throws IOException {
            return OptionalLong.of(volume.blocks());
        }
    }

    abstract static class InMemory extends OnVfs {
        @Override
        MetaEngine engine() {
            return new MemoryMetaEngine();
        }

        @Override
        BlockStore store() {
            return new MemoryBlockStore();
        }
    }

    abstract static class OnDisk extends OnVfs {
        @TempDir
        Path directory;

        @Override
        MetaEngine engine() throws IOException {
            return SqliteMetaEngine.create(directory.resolve("meta.db"));
        }

        @Override
        BlockStore store() {
            return new FileBlockStore(directory.resolve("store"), new OsDisk());
        }
    }

    /** Through a mount the same runs always, see {@code KernelMountContractTest}. */
    @Nested
    @EnabledIfSystemProperty(named = "volsh.long", matches = "true")
    final class PostgresWithSmallBlocks extends OnVfs {
        @Override
        ChunkSettings settings() {
            return new ChunkSettings(64 << 10, 4096, 1 << 20, 300 << 10);
        }

        @Override
        MetaEngine engine() throws IOException {
            try {
                var url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
                return PostgresMetaEngine.create(url, UUID.randomUUID());
            } catch (InterruptedException stop) {
                throw new IllegalStateException(stop);
            }
        }

        @Override
        BlockStore store() {
            return new MemoryBlockStore();
        }
    }

    @Nested
    final class MemoryWithTinyBlocks extends InMemory {
        @Override
        public int many() {
            return 10_000;
        }

        @Override
        ChunkSettings settings() {
            return new ChunkSettings(4096, 0, 1 << 20);
        }
    }

    @Nested
    final class MemoryWithSmallBlocks extends InMemory {
        @Override
        ChunkSettings settings() {
            return new ChunkSettings(64 << 10, 4096, 1 << 20, 300 << 10);
        }
    }

    @Nested
    final class MemoryWithDefaultBlocks extends InMemory {
        @Override
        ChunkSettings settings() {
            return new ChunkSettings(4 << 20, 4096, 64 << 20);
        }
    }

    @Nested
    final class SqliteAndFilesWithSmallBlocks extends OnDisk {
        @Override
        ChunkSettings settings() {
            return new ChunkSettings(64 << 10, 0, 4 << 20);
        }
    }

    @Nested
    final class SqliteAndFilesWithDefaultBlocks extends OnDisk {
        @Override
        ChunkSettings settings() {
            return new ChunkSettings(4 << 20, 4096, 64 << 20, 16 << 20);
        }
    }
}

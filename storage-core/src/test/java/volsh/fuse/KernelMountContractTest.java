package volsh.fuse;

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
import volsh.vfs.ManualClock;
import volsh.vfs.MountPosix;
import volsh.vfs.Posix;
import volsh.vfs.TestVolume;
import volsh.vfs.VfsContract;

/** The {@link VfsContract} by system calls on a mount. After each test nothing is lost or left over. */
final class KernelMountContractTest {
    abstract static class OnMount implements VfsContract {
        @TempDir
        Path directory;

        private final ManualClock clock = new ManualClock();
        private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());
        private TestVolume volume;
        private TestMount mount;
        private Posix posix;

        abstract ChunkSettings settings();

        abstract MetaEngine engine() throws IOException;

        abstract BlockStore store() throws IOException;

        MountOptions options(MountOptions usual) {
            return usual;
        }

        @BeforeEach
        void open() throws IOException {
            volume = TestVolume.open(engine(), store(), settings(), executor, clock);
            mount = TestMount.of(volume.vfs(), directory, clock, this::options);
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

    @Nested
    final class MemoryWithTinyBlocks extends OnMount {
        @Override
        ChunkSettings settings() {
            return new ChunkSettings(4096, 0, 1 << 20);
        }

        @Override
        MetaEngine engine() {
            return new MemoryMetaEngine();
        }

        @Override
        BlockStore store() {
            return new MemoryBlockStore();
        }
    }

    @Nested
    final class PostgresWithSmallBlocks extends OnMount {
        @Override
        MountOptions options(MountOptions usual) {
            return usual.withTimeout(Duration.ZERO);   // as on every volume that machines share
        }

        @Override
        public int many() {
            return 600;
        }

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

    /** Nothing is cached by the kernel: every call arrives. */
    @Nested
    final class MemoryWithoutCaching extends OnMount {
        @Override
        MountOptions options(MountOptions usual) {
            return usual.with(MountFlag.DIRECT_IO).withTimeout(Duration.ZERO);
        }

        @Override
        ChunkSettings settings() {
            return new ChunkSettings(64 << 10, 4096, 1 << 20, 300 << 10);
        }

        @Override
        MetaEngine engine() {
            return new MemoryMetaEngine();
        }

        @Override
        BlockStore store() {
            return new MemoryBlockStore();
        }
    }

    @Nested
    final class SqliteAndFilesWithDefaultBlocks extends OnMount {
        @Override
        ChunkSettings settings() {
            return new ChunkSettings(4 << 20, 4096, 64 << 20, 16 << 20);
        }

        @Override
        MetaEngine engine() throws IOException {
            return SqliteMetaEngine.create(directory.resolve("meta.db"));
        }

        @Override
        BlockStore store() {
            return new FileBlockStore(directory.resolve("store"), new OsDisk());
        }
    }
}

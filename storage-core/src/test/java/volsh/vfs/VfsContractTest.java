package volsh.vfs;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockStore;
import volsh.block.file.FileBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.meta.EngineKind;

/** The {@link VfsContract} on engines, stores, block sizes and inline limits. */
final class VfsContractTest {
    abstract static class OnVfs extends ContractVolume {
        @Override
        protected Posix reach(Vfs vfs, ManualClock time) {
            return new VfsPosix(vfs);
        }
    }

    abstract static class OnDisk extends OnVfs {
        @TempDir
        Path directory;

        @Override
        protected MetaEngine engine() throws IOException {
            return SqliteMetaEngine.create(directory.resolve("meta.db"));
        }

        @Override
        protected BlockStore store() {
            return new FileBlockStore(directory.resolve("store"), new OsDisk());
        }
    }

    /** Through a mount the same runs always, see {@code KernelMountContractTest}. */
    @Nested
    @EnabledIfSystemProperty(named = "volsh.long", matches = "true")
    final class PostgresWithSmallBlocks extends OnVfs {
        @Override
        protected ChunkSettings settings() {
            return new ChunkSettings(64 << 10, 4096, 1 << 20, 300 << 10);
        }

        @Override
        protected MetaEngine engine() throws IOException {
            return EngineKind.postgres();
        }
    }

    @Nested
    final class MemoryWithTinyBlocks extends OnVfs {
        @Override
        public int many() {
            return 10_000;
        }

        @Override
        protected ChunkSettings settings() {
            return new ChunkSettings(4096, 0, 1 << 20);
        }
    }

    @Nested
    final class MemoryWithSmallBlocks extends OnVfs {
        @Override
        protected ChunkSettings settings() {
            return new ChunkSettings(64 << 10, 4096, 1 << 20, 300 << 10);
        }
    }

    @Nested
    final class MemoryWithDefaultBlocks extends OnVfs {
        @Override
        protected ChunkSettings settings() {
            return new ChunkSettings(4 << 20, 4096, 64 << 20);
        }
    }

    @Nested
    final class SqliteAndFilesWithSmallBlocks extends OnDisk {
        @Override
        protected ChunkSettings settings() {
            return new ChunkSettings(64 << 10, 0, 4 << 20);
        }
    }

    @Nested
    final class SqliteAndFilesWithDefaultBlocks extends OnDisk {
        @Override
        protected ChunkSettings settings() {
            return new ChunkSettings(4 << 20, 4096, 64 << 20, 16 << 20);
        }
    }
}

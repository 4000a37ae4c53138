package volsh.fuse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockStore;
import volsh.block.file.FileBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.meta.EngineKind;
import volsh.vfs.ContractVolume;
import volsh.vfs.ManualClock;
import volsh.vfs.MountPosix;
import volsh.vfs.Posix;
import volsh.vfs.Vfs;
import volsh.vfs.VfsContract;

/** The {@link VfsContract} by system calls on a mount. */
@Tag("mount")
final class KernelMountContractTest {
    abstract static class OnMount extends ContractVolume {
        @TempDir
        Path directory;

        private TestMount mount;

        MountOptions options(MountOptions usual) {
            return usual;
        }

        @Override
        protected Posix reach(Vfs vfs, ManualClock time) throws IOException {
            mount = TestMount.of(vfs, directory, time, this::options);
            return new MountPosix(mount.directory());
        }

        @Override
        protected void leave() throws IOException {
            mount.close();
        }
    }

    @Nested
    final class MemoryWithTinyBlocks extends OnMount {
        @Override
        protected ChunkSettings settings() {
            return new ChunkSettings(4096, 0, 1 << 20);
        }
    }

    /** On one mount: a volume, and a mount of it, for each test would take longer than most of them. */
    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    final class PostgresWithSmallBlocks extends ContractVolume {
        private Path parent;
        private TestMount mount;
        private int tests;

        @BeforeAll
        void directory(@TempDir Path directory) {
            parent = directory;
        }

        @AfterAll
        void unmount() throws IOException {
            mount.close();
            endVolume();
        }

        @Override
        protected boolean isShared() {
            return true;
        }

        /** Attributes are asked for each time, as on every volume that machines share. */
        @Override
        protected Posix reach(Vfs vfs, ManualClock time) throws IOException {
            if (mount == null) {
                mount = TestMount.of(vfs, parent, time, usual -> usual.withTimeout(Duration.ZERO));
            }
            return new MountPosix(Files.createDirectory(mount.directory().resolve("test" + ++tests)));
        }

        @Override
        public int many() {
            return Boolean.getBoolean("volsh.long") ? 300 : 140;   // of 128 a page
        }

        @Override
        protected ChunkSettings settings() {
            return new ChunkSettings(64 << 10, 4096, 1 << 20, 300 << 10);
        }

        @Override
        protected MetaEngine engine() throws IOException {
            return EngineKind.postgres();
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
        protected ChunkSettings settings() {
            return new ChunkSettings(64 << 10, 4096, 1 << 20, 300 << 10);
        }
    }

    @Nested
    final class SqliteAndFilesWithDefaultBlocks extends OnMount {
        @Override
        protected ChunkSettings settings() {
            return new ChunkSettings(4 << 20, 4096, 64 << 20, 16 << 20);
        }

        @Override
        protected MetaEngine engine() throws IOException {
            return SqliteMetaEngine.create(directory.resolve("meta.db"));
        }

        @Override
        protected BlockStore store() {
            return new FileBlockStore(directory.resolve("store"), new OsDisk());
        }
    }
}

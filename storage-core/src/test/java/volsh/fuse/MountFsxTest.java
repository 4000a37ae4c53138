package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.meta.EngineKind;
import volsh.vfs.TestVolume;

/**
 * One file, changed at random in every way there is: written, mapped, past the page cache, truncated, punched, copied.
 */
@Tag("mount")
@Tag("data")
final class MountFsxTest {
    private static final int OPERATIONS = Boolean.getBoolean("volsh.long") ? 20_000 : 800;

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @ValueSource(strings = {"plain", "mmap", "direct", "holes", "copy", "sync", "all"})
    void everyByteIsRight(String mode) throws Exception {
        run(mode, options -> options);
    }

    /** The kernel gathers writes and sends them later. */
    @ParameterizedTest
    @ValueSource(strings = {"mmap", "all"})
    void everyByteIsRightWithAWritebackCache(String mode) throws Exception {
        run(mode, usual -> usual.with(MountFlag.WRITEBACK_CACHE));
    }

    /**
     * A round trip for most of what is asked: fewer, and nothing is remembered by the kernel, as where machines share a
     * volume.
     */
    @Test
    void everyByteIsRightOnPostgres() throws Exception {
        try (var engine = EngineKind.postgres()) {
            run("all", OPERATIONS / 10, engine, usual -> usual.withTimeout(Duration.ZERO));
        }
    }

    private void run(String mode, TestMount.Wish wish) throws Exception {
        try (var engine = SqliteMetaEngine.create(temporary.resolve("meta.db"))) {
            run(mode, OPERATIONS, engine, wish);
        }
    }

    private void run(String mode, int operations, MetaEngine engine, TestMount.Wish wish) throws Exception {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        System.out.printf("fsx %s seed %d%n", mode, seed);
        var settings = new ChunkSettings(64 << 10, 4096, 2 << 20, 512 << 10);
        try (var executor = Executors.newFixedThreadPool(3);
                var volume = TestVolume.open(engine, new MemoryBlockStore(), settings, executor,
                        InstantSource.system());
                var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system(), wish)) {
            var script = Programs.resource("/volsh/fuse/fsx.py", temporary);
            var said = Programs.run(
                    mount.directory(), "python3", script.toString(), "file", mode, Long.toString(seed),
                    Integer.toString(operations));
            assertThat(said).startsWith("ok");
            assertThat(volume.audit()).isEmpty();
        }
    }
}

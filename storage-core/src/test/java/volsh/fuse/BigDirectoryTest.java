package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.Import;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/**
 * A directory with very many entries: all listed, each once, also while it changes, in memory that does not grow with
 * it.
 */
@Tag("mount")
final class BigDirectoryTest {
    private static final int ENTRIES = Boolean.getBoolean("volsh.long") ? 1_000_000 : 10_000;

    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private SqliteMetaEngine engine;
    private TestVolume volume;
    private TestMount mount;

    @BeforeEach
    void fill() throws IOException {
        engine = SqliteMetaEngine.create(temporary.resolve("meta.db"));
        volume = TestVolume.open(engine, new MemoryBlockStore(), new ChunkSettings(64 << 10, 4096, 4 << 20), executor,
                InstantSource.system());
        long directory = volume.vfs().makeDirectory(Vfs.ROOT, Name.of("d"), 0755, Owner.ROOT).ino();
        long began = System.nanoTime();
        var importer = new Import(volume.vfs());
        var batch = new ArrayList<Import.Piece>();
        for (int i = 0; i < ENTRIES; i++) {
            batch.add(new Import.Piece(directory, Name.of("e%07d".formatted(i)), 0644, Owner.ROOT, 0, 0,
                    ByteBuffer.allocate(1)));
            if (batch.size() == importer.countMax() || i == ENTRIES - 1) {
                assertThat(importer.run(batch)).allMatch(Optional::isEmpty);
                batch.clear();
            }
        }
        tell("made", began);
        mount = TestMount.of(volume.vfs(), temporary, InstantSource.system());
    }

    @AfterEach
    void unmount() throws IOException {
        mount.close();
        volume.close();
        engine.close();
        executor.shutdown();
    }

    private static void tell(String what, long began) {
        System.gc();
        long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
        System.out.printf("%,d entries %s in %,d ms, heap %d MiB%n", ENTRIES, what,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began), used);
    }

    private String timed(String what, String lines) throws Exception {
        long began = System.nanoTime();
        var said = Programs.shell(mount.directory(), lines).strip();
        tell(what, began);
        return said;
    }

    @Test
    void allAreListedAndWhatLastsOnceWhileOthersComeAndGo() throws Exception {
        listAll();
        listWhileChanging();
    }

    private void listAll() throws Exception {
        assertThat(timed("listed (ls -f)", "ls -f d | wc -l")).isEqualTo(Integer.toString(ENTRIES + 2));
        assertThat(timed("listed with attributes (ls -l)", "ls -l d | wc -l")).isEqualTo(Integer.toString(ENTRIES + 1));
        assertThat(timed("found (find -size)", "find d -type f -size -2c | wc -l"))
                .isEqualTo(Integer.toString(ENTRIES));
    }

    /** Every third one goes and others come while somebody lists. */
    private void listWhileChanging() throws Exception {
        var script = Files.writeString(temporary.resolve("list.py"), """
                import os, sys
                n = int(sys.argv[1]); seen = []; made = gone = 0
                with os.scandir('d') as entries:
                    for i, entry in enumerate(entries):
                        seen.append(entry.name)
                        if i %% 10 == 0:
                            for victim in (i * 3 %% n, (n - i) %% n):
                                name = 'd/e%%07d' %% (victim - victim %% 3)
                                if os.path.exists(name):
                                    os.unlink(name); gone += 1
                            if i %% 50 == 0:
                                open('d/e%%07d.new' %% (i * 7 %% n), 'w').close(); made += 1
                lasting = ['e%%07d' %% i for i in range(n) if i %% 3]
                missing = set(lasting) - set(seen)
                print(len(seen) - len(set(seen)), len(missing), made > n // 200, gone > n // 20)
                """.replace("%%", "%"));
        long began = System.nanoTime();
        assertThat(Programs.run(mount.directory(), "python3", script.toString(), Integer.toString(ENTRIES)).strip())
                .isEqualTo("0 0 True True");
        tell("listed while changing", began);
    }
}

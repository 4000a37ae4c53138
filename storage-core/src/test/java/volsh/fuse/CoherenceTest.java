package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.meta.memory.MemoryMetaEngine;
import volsh.vfs.TestVolume;

/** Mounts whose kernels may remember for an hour, and forget nevertheless what others change. */
final class CoherenceTest {
    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private final MemoryMetaEngine engine = new MemoryMetaEngine();
    private final MemoryBlockStore store = new MemoryBlockStore();
    private TestVolume first;
    private TestVolume second;
    private TestMount here;
    private TestMount there;

    @BeforeEach
    void mount() throws Exception {
        first = open();
        second = open();
        here = mount(first);
        there = mount(second);
        eventually(first.vfs().news()::look);
        eventually(second.vfs().news()::look);
    }

    private TestVolume open() throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(64 << 10, 4096, 4 << 20), executor, InstantSource.system());
    }

    private TestMount mount(TestVolume volume) throws IOException {
        return TestMount.of(volume.vfs(), temporary, InstantSource.system(), options -> options.withTimeout(Duration.ofHours(1)));
    }

    @AfterEach
    void unmount() throws IOException {
        here.close();
        there.close();
        assertThat(first.audit()).isEmpty();
        first.close();
        second.close();
        executor.shutdown();
    }

    private static void eventually(Callable<Boolean> holds) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!holds.call()) {
            assertThat(System.nanoTime()).as("heard of in time").isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    @Test
    void namesAndAttributesThatOthersChangeAreForgotten() throws Exception {
        var mine = here.directory().resolve("d/f");
        var theirs = there.directory().resolve("d/f");
        Files.createDirectory(theirs.getParent());
        Files.writeString(theirs, "old");
        assertThat(Files.size(mine)).isEqualTo(3);
        Files.writeString(theirs, "longer");
        eventually(() -> Files.size(mine) == 6);
        Files.move(theirs, there.directory().resolve("d/g"));
        eventually(() -> Files.notExists(mine));
        Files.writeString(there.directory().resolve("d/h"), "another");
        eventually(() -> Files.exists(here.directory().resolve("d/h")));
        Files.move(there.directory().resolve("d/h"), there.directory().resolve("d/g"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        eventually(() -> Files.readString(here.directory().resolve("d/g")).equals("another"));
    }

    /** Who has a file open and only reads sees what is written elsewhere, without opening it again. */
    @Test
    void pagesOfOpenFilesAreForgotten() throws Exception {
        var theirs = there.directory().resolve("f");
        Files.write(theirs, new byte[10_000]);
        try (var open = FileChannel.open(here.directory().resolve("f"))) {
            assertThat(first(open)).isZero();
            try (var writer = FileChannel.open(theirs, StandardOpenOption.WRITE)) {
                writer.write(ByteBuffer.wrap(new byte[] {7}), 0);
            }
            eventually(() -> first(open) == 7);
        }
    }

    private static byte first(FileChannel open) throws IOException {
        var target = ByteBuffer.allocate(1);
        open.read(target, 0);
        return target.get(0);
    }

    /** More changes than the ring holds: nothing in particular is told, and the kernel asks for all names again. */
    @Test
    void whoIsOvertakenForgetsEverything() throws Exception {
        Files.writeString(there.directory().resolve("f"), "old");
        assertThat(Files.size(here.directory().resolve("f"))).isEqualTo(3);
        for (int i = 0; i < 1_500; i++) {
            second.names().change(second.names().lookup(1, volsh.fs.Name.of("f")).ino(), volsh.fs.AttributeChange.NONE.withMode(0600 | i % 8));
        }
        Files.writeString(there.directory().resolve("f"), "longer");
        eventually(() -> Files.size(here.directory().resolve("f")) == 6);
    }

    /** Nobody else has it mounted, so nobody is told. */
    @Test
    void whoIsAloneWritesNothingMore() throws Exception {
        there.close();
        second.close();
        eventually(() -> !first.vfs().news().look());
        long before = rows();
        Files.writeString(here.directory().resolve("f"), "text");
        Files.writeString(here.directory().resolve("f"), "again");
        assertThat(rows()).isEqualTo(before);
    }

    private long rows() throws IOException {
        var log = volsh.meta.MetaKey.of((byte) 'w', (byte) 4);
        return engine.read(tx -> (long) tx.scan(log, log.afterPrefix(), 1000).size());
    }
}

package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.block.memory.MemoryBlockStore;
import volsh.bucket.OpenBuckets;
import volsh.cache.MemoryCache;
import volsh.cache.disk.DiskTier;
import volsh.chunk.ChunkSettings;
import volsh.codec.BlockCodec;
import volsh.engine.MetaEngine;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.imported.ImportedObjects;
import volsh.imported.Importer;
import volsh.imported.ImportListener;
import volsh.imported.ImportRecords;
import volsh.imported.ImportRequest;
import volsh.meta.EngineKind;
import volsh.meta.ImportedFiles;
import volsh.meta.OnEveryEngine;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** What programs on a mount see of imported files while objects change, are replaced and deleted. */
@OnEveryEngine
@Tag("mount")
final class ImportMountTest {
    private static final int BLOCK = 64 << 10;
    private static final int LARGE = 20 * BLOCK + 7;

    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());
    private final MemoryBlockStore store = new MemoryBlockStore();
    private final MetaEngine engine;
    private Path bucket;
    private ImportedObjects objects;
    private TestVolume volume;
    private TestMount mount;

    ImportMountTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    @BeforeEach
    void mount() throws IOException {
        bucket = Files.createDirectory(temporary.resolve("bucket"));
        objects = new ImportedObjects(new ImportRecords(engine, InstantSource.system()), OpenBuckets::open);
        volume = TestVolume.open(engine, store, new ChunkSettings(BLOCK, 4096, 8 << 20, 8 << 20), executor,
                InstantSource.system(), new MemoryCache(8 << 20, BlockCodec.FRAME_LENGTH), DiskTier.NONE,
                new TestVolume.Background(store, forgotten -> {}, objects));
        mount = TestMount.of(volume.vfs(), temporary, InstantSource.system());
    }

    @AfterEach
    void unmount() throws IOException {
        mount.close();
        assertThat(volume.audit()).isEmpty();
        volume.close();
        objects.close();
        executor.shutdown();
    }

    private void run(boolean refresh) throws IOException {
        var url = StoreUrl.of("file://" + bucket);
        try (var opened = OpenBuckets.open(url)) {
            new Importer(volume.vfs(), new ImportedFiles(volume.names()), engine, InstantSource.system(), BLOCK)
                    .run(new ImportRequest(url, Vfs.ROOT, Owner.ROOT, refresh, false), opened, new ImportListener() {});
        }
    }

    private Path file(String name) {
        return mount.directory().resolve(name);
    }

    @Test
    void objectsChangeUnderAMount() throws Exception {
        for (var name : new String[] {"changed", "cached", "deleted", "written"}) {
            Files.write(bucket.resolve(name), noise(LARGE, name.hashCode()));
        }
        run(false);
        assertThat(Files.readAllBytes(file("cached"))).isEqualTo(noise(LARGE, "cached".hashCode()));
        try (var written = Files.newByteChannel(file("written"), StandardOpenOption.WRITE)) {
            written.position(5).write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        }
        for (var name : new String[] {"changed", "cached"}) {
            Files.write(bucket.resolve(name), noise(LARGE, 1));
        }
        Files.delete(bucket.resolve("deleted"));

        assertThat(Programs.shell(mount.directory(), "cat changed > /dev/null || cat deleted > /dev/null || echo $?"))
                .contains("Input/output error", "1");
        assertThatThrownBy(() -> Files.readAllBytes(file("changed"))).hasMessageContaining("Input/output error");
        assertThat(Files.readAllBytes(file("cached"))).as("the state that was imported, from the cache")
                .isEqualTo(noise(LARGE, "cached".hashCode()));
        byte[] expected = noise(LARGE, "written".hashCode());
        System.arraycopy(new byte[] {1, 2, 3}, 0, expected, 5, 3);
        assertThat(Files.readAllBytes(file("written"))).isEqualTo(expected);

        run(true);
        assertThat(Files.readAllBytes(file("changed"))).isEqualTo(noise(LARGE, 1));
        assertThat(Files.readAllBytes(file("cached"))).isEqualTo(noise(LARGE, 1));
        Eventually.value("the kernel forgets the name", () -> Files.exists(file("deleted")), exists -> !exists);
        assertThat(Files.readAllBytes(file("written"))).isEqualTo(expected);
        assertThat(Programs.shell(mount.directory(), "cp changed copy && cmp changed copy && rm changed copy && ls"))
                .isEqualTo("cached\nwritten\n");
    }
}

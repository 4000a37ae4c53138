package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.block.memory.MemoryBlockStore;
import volsh.bucket.OpenBuckets;
import volsh.bucketfs.MountedBucket;
import volsh.cache.MemoryCache;
import volsh.cache.disk.DiskTier;
import volsh.chunk.ChunkSettings;
import volsh.codec.BlockCodec;
import volsh.engine.MetaEngine;
import volsh.fs.Owner;
import volsh.imported.ImportListener;
import volsh.imported.ImportRecords;
import volsh.imported.ImportRequest;
import volsh.imported.ImportedObjects;
import volsh.imported.Importer;
import volsh.meta.EngineKind;
import volsh.meta.ImportedFiles;
import volsh.meta.OnEveryEngine;
import volsh.object.ObjectHeaders;
import volsh.object.PutCondition;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** An epoch over a volume into which a bucket was imported is one over the plain mount of the bucket. */
@OnEveryEngine
@Tag("mount")
final class ImportEpochTest {
    private static final int FILES = Boolean.getBoolean("volsh.long") ? 5_000 : 120;
    private static final int BLOCK = 256 << 10;
    private static final int READERS = 4;

    @TempDir
    Path temporary;

    private final MetaEngine engine;

    ImportEpochTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    @Test
    void bothEpochsHaveTheSameBytes() throws Exception {
        var url = StoreUrl.of(MountedBucket.newBucket());
        var store = new MemoryBlockStore();
        try (var executor = Executors.newFixedThreadPool(READERS);
                var opened = OpenBuckets.open(url);
                var objects = new ImportedObjects(new ImportRecords(engine, InstantSource.system()), OpenBuckets::open);
                var volume = TestVolume.open(engine, store, new ChunkSettings(BLOCK, 4096, 8 << 20, 8 << 20), executor,
                        InstantSource.system(), new MemoryCache(8 << 20, BlockCodec.FRAME_LENGTH), DiskTier.NONE,
                        new TestVolume.Background(store, forgotten -> {}, objects))) {
            for (int i = 0; i < FILES; i++) {
                int size = i == 7 ? 3 * BLOCK + 1 : i * 977 % 9_000;
                opened.put("part-%d/%05d".formatted(i % 7, i), ByteBuffer.wrap(noise(size, i)), ObjectHeaders.NONE,
                        PutCondition.ALWAYS);
            }
            var report = new Importer(volume.vfs(), new ImportedFiles(volume.names()), engine, InstantSource.system(),
                    BLOCK).run(new ImportRequest(url, Vfs.ROOT, Owner.ROOT, false, false), opened,
                            new ImportListener() {});
            assertThat(report.files()).isEqualTo(FILES);
            try (var bucket = MountedBucket.of(temporary, MountedBucket.settings(), url.toString(), DiskTier.NONE);
                    var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system())) {
                var plain = epoch(bucket.directory(), 1);
                assertThat(plain).hasSize(FILES);
                assertThat(epoch(mount.directory(), 2)).isEqualTo(plain);
            }
        }
    }

    /** Reads every file once, in an order of this seed; what was read, by path. */
    private static Map<String, String> epoch(Path root, long seed) throws Exception {
        var paths = new ArrayList<Path>();
        try (var all = Files.walk(root)) {
            all.filter(Files::isRegularFile).forEach(paths::add);
        }
        Collections.shuffle(paths, new Random(seed));
        var found = new ConcurrentSkipListMap<String, String>();
        try (var readers = Executors.newFixedThreadPool(READERS)) {
            var reads = paths.stream().map(path -> readers.submit(() ->
                    found.put(root.relativize(path).toString(), digest(Files.readAllBytes(path))))).toList();
            for (var read : reads) {
                read.get();
            }
        }
        return found;
    }

    private static String digest(byte[] bytes) throws Exception {
        return bytes.length + " " + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}

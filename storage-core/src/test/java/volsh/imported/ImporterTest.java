package volsh.imported;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
import volsh.fs.FsException;
import volsh.fs.ImportChangedException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.ImportedFiles;
import volsh.meta.MetadataAudit;
import volsh.meta.OnEveryEngine;
import volsh.object.MemoryObjects;
import volsh.object.ObjectHeaders;
import volsh.object.PutCondition;
import volsh.vfs.ManualClock;
import volsh.vfs.Paths;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Files of imported objects, on every engine: their rows, what is read, and what becomes of them. */
@OnEveryEngine
final class ImporterTest {
    private static final int BLOCK = 64 << 10;
    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05Z");

    @TempDir
    Path bucket;

    private final MetaEngine engine;
    private final MemoryBlockStore store = new MemoryBlockStore();
    private final ManualClock clock = new ManualClock();
    private final Map<String, String> problems = new HashMap<>();
    private TestVolume volume;
    private ImportedObjects objects;
    private Vfs vfs;

    ImporterTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    @BeforeEach
    void open() throws IOException {
        objects = new ImportedObjects(new ImportRecords(engine, clock), OpenBuckets::open);
        volume = TestVolume.open(engine, store, new ChunkSettings(BLOCK, 300, 8L << 20, 4L << 20), Runnable::run, clock,
                new MemoryCache(4L << 20, BlockCodec.FRAME_LENGTH), DiskTier.NONE,
                new TestVolume.Background(store, forgotten -> {}, objects));
        vfs = volume.vfs();
    }

    @AfterEach
    void rowsAgree() throws IOException {
        assertThat(MetadataAudit.of(engine).with(store).problems()).isEmpty();
        volume.close();
        objects.close();
    }

    private void put(String key, byte[] bytes) throws IOException {
        var file = bucket.resolve(key);
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
        Files.setLastModifiedTime(file, FileTime.from(TIME));
    }

    private ImportReport run(boolean refresh, boolean dry, ImportListener listener) throws IOException {
        var url = StoreUrl.of("file://" + bucket);
        try (var opened = OpenBuckets.open(url)) {
            return new Importer(vfs, new ImportedFiles(volume.names()), engine, clock, BLOCK)
                    .run(new ImportRequest(url, Vfs.ROOT, Owner.ROOT, refresh, dry), opened, listener);
        }
    }

    private ImportReport run(boolean refresh) throws IOException {
        problems.clear();
        return run(refresh, false, noting());
    }

    private ImportListener noting() {
        return new ImportListener() {
            @Override
            public void problem(String key, String why) {
                problems.put(key, why);
            }
        };
    }

    private byte[] read(String path) throws IOException {
        var attributes = new Paths(vfs).resolve(path);
        var bytes = ByteBuffer.allocate((int) attributes.size());
        try (var file = vfs.open(attributes.ino())) {
            while (bytes.hasRemaining() && file.read(bytes.position(), bytes) > 0) { }
        }
        return bytes.array();
    }

    @Test
    void objectsBecomeFilesAndNoByteMoves() throws IOException {
        var contents = new HashMap<String, byte[]>();
        for (int i = 0; i < 150; i++) {
            contents.put("train/n%d/%03d.jpg".formatted(i % 3, i), noise(1 + i * 7, i));
        }
        contents.put("empty", new byte[0]);
        contents.put("exactly", noise(BLOCK, 1));
        contents.put("large.bin", noise(3 * BLOCK + 5, 2));
        contents.put("ü/ß.txt", noise(700, 3));
        for (var each : contents.entrySet()) {
            put(each.getKey(), each.getValue());
        }

        var report = run(false);

        assertThat(report.files()).isEqualTo(154);
        assertThat(report.complete()).isTrue();
        assertThat(report.bytes()).isEqualTo(contents.values().stream().mapToLong(each -> each.length).sum());
        assertThat(problems).isEmpty();
        assertThat(store.list("").toList()).isEmpty();
        for (var each : contents.entrySet()) {
            assertThat(read("/" + each.getKey())).as(each.getKey()).isEqualTo(each.getValue());
        }
        assertThat(new Paths(vfs).resolve("/large.bin").mtime()).isEqualTo(TIME.getEpochSecond() * 1_000_000_000L);
        assertThat(volume.superblock().usage().storedBytes()).isZero();
        assertThat(volume.superblock().importedBytes()).isEqualTo(report.bytes());

        var again = run(false);
        assertThat(again.files()).isZero();
        assertThat(again.present()).isEqualTo(154);
    }

    @Test
    void writesAreCopiesOnWrite() throws IOException {
        byte[] bytes = noise(3 * BLOCK, 1);
        put("a", bytes);
        run(false);
        try (var file = vfs.open(new Paths(vfs).resolve("/a").ino())) {
            file.write(BLOCK + 7, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        }
        byte[] expected = bytes.clone();
        System.arraycopy(new byte[] {1, 2, 3}, 0, expected, BLOCK + 7, 3);

        assertThat(read("/a")).isEqualTo(expected);
        assertThat(Files.readAllBytes(bucket.resolve("a"))).isEqualTo(bytes);
        assertThat(store.list("").toList()).hasSize(1);

        put("a", noise(10, 9));
        assertThat(run(true).refused()).isEqualTo(1);   // it was written to, so it stays
        assertThat(problems.get("a")).contains("written to");
    }

    @Test
    void removedFilesTakeNothingFromTheBucket() throws IOException {
        put("a", noise(2 * BLOCK, 1));
        put("b", noise(100, 2));
        run(false);
        var before = Files.readAllBytes(bucket.resolve("a"));
        vfs.unlink(Vfs.ROOT, Name.of("a"));
        clock.advance(Duration.ofSeconds(10));
        volume.reclaim();

        assertThat(volume.superblock().importedBytes()).isEqualTo(100);
        assertThat(Files.readAllBytes(bucket.resolve("a"))).isEqualTo(before);
        assertThat(run(false).files()).isEqualTo(1);   // it comes again
        assertThat(read("/a")).isEqualTo(before);
    }

    @Test
    void aChangedObjectIsAnErrorUntilItIsFollowed() throws IOException {
        put("changed", noise(3000, 1));
        put("deleted", noise(3000, 2));
        put("deep/er/deleted", noise(3000, 2));
        for (int i = 0; i < 70; i++) {
            put("gone/%d".formatted(i), noise(1, i));
        }
        put("same", noise(3000, 3));
        run(false);
        put("changed", noise(4000, 4));
        Files.delete(bucket.resolve("deleted"));
        Files.delete(bucket.resolve("deep/er/deleted"));
        for (int i = 0; i < 70; i++) {
            Files.delete(bucket.resolve("gone/%d".formatted(i)));
        }
        put("new", noise(500, 5));

        assertThatThrownBy(() -> read("/changed")).isInstanceOf(ImportChangedException.class)
                .hasMessageContaining("changed changed in the bucket since the import").hasMessageContaining("now ");
        assertThatThrownBy(() -> read("/deleted")).isInstanceOf(ImportChangedException.class)
                .hasMessageContaining("was deleted from the bucket since the import");
        assertThat(read("/same")).isEqualTo(noise(3000, 3));

        var looked = run(false);
        assertThat(looked.changed()).isEqualTo(1);
        assertThat(looked.files()).isEqualTo(1);
        assertThat(problems.get("changed")).contains("since it was imported");

        assertThat(run(true, true, noting()).removed()).isEqualTo(72);
        var followed = run(true);
        assertThat(List.of(followed.replaced(), followed.removed(), followed.present(), followed.refused()))
                .containsExactly(1L, 72L, 2L, 0L);
        assertThat(read("/changed")).isEqualTo(noise(4000, 4));
        assertThat(read("/new")).isEqualTo(noise(500, 5));
        assertThatThrownBy(() -> new Paths(vfs).resolve("/deleted")).isInstanceOf(FsException.class);
        assertThatThrownBy(() -> new Paths(vfs).resolve("/deep")).isInstanceOf(FsException.class);
    }

    @Test
    void largeObjectsAreReplacedAsAWhole() throws IOException {
        put("large", noise(259 * BLOCK + 1, 1));
        run(false);
        assertThat(run(false).present()).isEqualTo(1);
        put("large", noise(70 * BLOCK + 1, 2));
        assertThat(run(true).replaced()).isEqualTo(1);
        assertThat(read("/large")).isEqualTo(noise(70 * BLOCK + 1, 2));
        put("large", noise(10, 3));
        assertThat(run(true).replaced()).isEqualTo(1);
        assertThat(read("/large")).isEqualTo(noise(10, 3));
    }

    @Test
    void whatIsInTheVolumeStays() throws IOException {
        for (var name : List.of("mine", "a")) {
            try (var file = vfs.create(Vfs.ROOT, Name.of(name), 0600, Owner.ROOT)) {
                file.write(0, ByteBuffer.wrap(noise(1000, 1)));
            }
        }
        vfs.makeDirectory(Vfs.ROOT, Name.of("directory"), 0700, Owner.ROOT);
        put("mine", noise(10, 2));
        put("directory", noise(10, 2));
        put("a/b", noise(10, 2));
        put("a/c", noise(10, 2));
        put("other", noise(10, 2));

        put("bad\nname", noise(10, 2));

        assertThat(run(true).refused()).isEqualTo(5);
        assertThat(problems.keySet()).containsExactlyInAnyOrder("mine", "directory", "a/b", "a/c", "bad\nname");
        assertThat(read("/mine")).isEqualTo(noise(1000, 1));
        assertThat(read("/a")).isEqualTo(noise(1000, 1));
        assertThat(read("/other")).isEqualTo(noise(10, 2));
    }

    @Test
    void anInterruptedImportGoesOn() throws IOException {
        for (int i = 0; i < 1300; i++) {
            put("%04d".formatted(i), noise(1, i));
        }
        var seen = new ArrayList<Long>();
        var first = run(false, false, new ImportListener() {
            @Override
            public void advanced(long objects) {
                seen.add(objects);
            }

            @Override
            public boolean stopped() {
                return seen.size() == 1;
            }
        });
        assertThat(first.complete()).isFalse();
        assertThat(first.files()).isBetween(900L, 1_000L);

        var rest = run(false);
        assertThat(rest.resumed()).isPresent();
        assertThat(rest.complete()).isTrue();
        // a batch that is not full, and the one before it, which is recorded with the next
        assertThat(rest.objects()).isBetween(300L, 300L + 2 * ImportedFiles.FILES_MAX);
        assertThat(first.files() + rest.files()).isEqualTo(1300);
        assertThat(vfs.list(Vfs.ROOT, null, 5000)).hasSize(1300);
    }

    /** Only a real bucket can have a key that is also a directory, so this one is in memory. */
    @Test
    void whereAKeyIsAlsoADirectoryTheDirectoryWins() throws IOException {
        var bucket = new MemoryObjects();
        var url = StoreUrl.of("s3://bucket/memory");
        for (var key : List.of("a//b", "both", "both/file", "both/more/file", "slash/", "slash/bytes/")) {
            bucket.put(key, ByteBuffer.wrap(new byte[key.equals("slash/") ? 0 : 10]), ObjectHeaders.NONE,
                    PutCondition.ALWAYS);
        }
        for (int i = 0; i < 2; i++) {
            problems.clear();
            var report = new Importer(vfs, new ImportedFiles(volume.names()), engine, clock, BLOCK)
                    .run(new ImportRequest(url, Vfs.ROOT, Owner.ROOT, false, false), bucket, noting());
            assertThat(report.objects()).isEqualTo(6);
            assertThat(report.refused()).isEqualTo(3);
            assertThat(problems).containsOnlyKeys("a//b", "both", "slash/bytes/");
            for (var path : List.of("/both/file", "/both/more/file")) {
                assertThat(new Paths(vfs).resolve(path).size()).isEqualTo(10);
            }
            assertThat(new Paths(vfs).resolve("/slash").isDirectory()).isTrue();
        }
    }
}

package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.vfs.PosixContract.noise;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.assembly.CacheSettings;
import volsh.block.StoreUrl;
import volsh.bucket.OpenBuckets;
import volsh.cache.disk.Quota;
import volsh.care.Garbage;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.Moment;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumePath;
import volsh.codec.Compression;
import volsh.fs.ImportChangedException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.history.Trees;
import volsh.imported.ImportListener;
import volsh.imported.ImportReport;
import volsh.lifecycle.AttachRequest;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;
import volsh.object.PutCondition;
import volsh.place.LayoutPolicy;
import volsh.s3test.S3Server;
import volsh.unit.ByteSize;
import volsh.upkeep.Watcher;
import volsh.upkeep.check.Damage;
import volsh.upkeep.dump.DumpLoader;
import volsh.vfs.PackingRules;
import volsh.vfs.Vfs;

/** Imported files from end to end: nothing that is done to a volume ever changes the bucket. */
@Tag("volume")
final class ImportTest {
    private static final int BLOCK = 256 << 10;
    private static final VolumePath LAKE = new VolumePath("v", "/lake");

    @TempDir
    Path directory;

    private final Map<String, byte[]> contents = new TreeMap<>();
    private Volumes volumes;

    @BeforeEach
    void home() {
        volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", directory.resolve("home").toString()), false),
                InstantSource.system(), Owner.ROOT);
    }

    private Path bucket() {
        return directory.resolve("bucket");
    }

    private void fill() throws IOException {
        for (int i = 0; i < 40; i++) {
            contents.put("d%d/%02d".formatted(i % 3, i), noise(1000 + 100 * i, i));
        }
        contents.put("large", noise(3 * BLOCK + 9, 77));
        for (var each : contents.entrySet()) {
            Files.createDirectories(bucket().resolve(each.getKey()).getParent());
            Files.write(bucket().resolve(each.getKey()), each.getValue());
        }
    }

    private StoreUrl url() {
        return StoreUrl.of("file://" + bucket());
    }

    private static Map<String, String> listing(StoreUrl url) throws IOException {
        var found = new TreeMap<String, String>();
        try (var opened = OpenBuckets.open(url)) {
            var page = opened.list(ObjectQuery.all(""));
            while (true) {
                page.objects().forEach(each -> found.put(each.key(), each.etag() + " " + each.size()));
                if (page.next().isEmpty()) {
                    return found;
                }
                page = opened.list(ObjectQuery.all("").following(page.next().get()));
            }
        }
    }

    private void create() throws IOException {
        volumes.create(VolumeDraft.named("v").withBlockSize(new ByteSize(BLOCK))
                .withCompression(new Compression.None()));
    }

    private ImportReport run(StoreUrl url) throws IOException {
        return volumes.imports().run(LAKE, url, Owner.ROOT, false, new ImportListener() {});
    }

    private static byte[] read(Volume volume, String path) throws IOException {
        var attributes = volume.paths().resolve(path);
        var bytes = ByteBuffer.allocate((int) attributes.size());
        try (var file = volume.vfs().open(attributes.ino())) {
            while (bytes.hasRemaining() && file.read(bytes.position(), bytes) > 0) { }
        }
        return bytes.array();
    }

    private void equalContents(Volume volume, String top) throws IOException {
        for (var each : contents.entrySet()) {
            assertThat(read(volume, top + "/" + each.getKey())).as(each.getKey()).isEqualTo(each.getValue());
        }
    }

    private void write(String path, byte[] bytes) throws IOException {
        try (var volume = volumes.open("v", Access.WRITE, "test");
                var file = volume.vfs().open(volume.paths().resolve(path).ino())) {
            file.write(100, ByteBuffer.wrap(bytes));
        }
    }

    @Test
    void nothingThatIsDoneToAVolumeChangesTheBucket() throws IOException {
        fill();
        for (int i = 1; i <= 3; i++) {
            volumes.stores().add("s" + i, StoreUrl.of("file://" + directory.resolve("s" + i)));
        }
        volumes.create(VolumeDraft.named("v").withBlockSize(new ByteSize(BLOCK))
                .withSpread(StoreLayout.of(List.of("s1", "s2", "s3"), LayoutPolicy.of("mirror:2"))));
        var before = listing(url());
        run(url());
        volumes.snapshots().create("v", "s", "");
        write("/lake/d0/00", new byte[] {1, 2, 3});
        write("/lake/large", new byte[] {4, 5, 6});
        try (var volume = volumes.open("v", Access.WRITE, "test")) {
            volume.vfs().unlink(volume.paths().resolve("/lake/d1").ino(), Name.of("01"));
            assertThat(volume.pack(Vfs.ROOT, PackingRules.NOW, bytes -> {}, Watcher.NONE).packed()).isZero();
            volume.compact(4, bytes -> {}, Watcher.NONE);
            volume.packCompaction().run(() -> false);
        }
        var collected = volumes.upkeep().collect("v", Duration.ZERO, true, Garbage.Watcher.NONE);
        assertThat(collected.objects()).isZero();
        try (var volume = volumes.open("v", Access.WRITE, "test");
                var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            assertThat(care.heal(Set.of()).isClean()).isTrue();
            assertThat(care.scrub(true, true).isClean()).isTrue();
            care.migrate(volume.paths().resolve("/lake/large").ino());
            care.rebalance();
            care.drain(3);
        }
        assertThat(volumes.upkeep().check("v", true, Optional.empty(), Watcher.NONE).problems()).isEmpty();
        assertThat(volumes.upkeep().repair("v", true, false, Watcher.NONE).problems()).isEmpty();
        assertThat(listing(url())).isEqualTo(before);
        try (var past = volumes.open(OpeningRequest.past("v", new Moment.Named("s"), "test"));
                var volume = volumes.open("v", Access.WRITE, "test")) {
            equalContents(past, "/lake");
            volume.copies(past).copy(past.paths().resolve("/lake").ino(), Vfs.ROOT, Name.of("clone"), false,
                    Trees.Watcher.NONE);
            equalContents(volume, "/clone");
        }
        volumes.destroy("v", false);
        assertThat(listing(url())).isEqualTo(before);
    }

    @Test
    void aDumpIsLoadedWithItsImportedFiles() throws IOException {
        fill();
        create();
        run(url());
        var text = new ByteArrayOutputStream();
        volumes.upkeep().dump("v", text, Watcher.NONE);
        volumes.upkeep().load(new DumpLoader.Source(new ByteArrayInputStream(text.toByteArray())),
                VolumeDraft.named("w"), Watcher.NONE);
        try (var volume = volumes.open("w", Access.READ, "test")) {
            equalContents(volume, "/lake");
            assertThat(volume.spec().hasImports()).isTrue();
        }
        assertThat(volumes.upkeep().check("w", true, Optional.empty(), Watcher.NONE).problems()).isEmpty();
        assertThat(volumes.status("w").importedBytes()).isEqualTo(volumes.status("v").importedBytes());
    }

    @Test
    void importedFilesAreThereAfterTheMachineIsLost() throws Exception {
        fill();
        var store = StoreUrl.of("file://" + directory.resolve("store"));
        var first = new Machine(directory.resolve("first"));
        first.create("v", store);
        first.volumes().imports().run(LAKE, url(), Owner.ROOT, false, new ImportListener() {});
        first.lose();
        var second = new Machine(directory.resolve("second"));
        second.volumes().attaching().attach(new AttachRequest(store, Optional.of("v"), Optional.empty(),
                Optional.empty(), false), AttachRequest.Watcher.NONE);
        try (var volume = second.volumes().open("v", Access.READ, "test")) {
            equalContents(volume, "/lake");
        }
        assertThat(second.volumes().upkeep().check("v", true, Optional.empty(), Watcher.NONE).problems()).isEmpty();
    }

    @Test
    void aMountReadsFromItsCachesWhileTheBucketIsAway() throws IOException {
        fill();
        create();
        run(url());
        var caching = new CacheSettings(ByteSize.of("1MiB"), List.of(directory.resolve("cache")),
                Quota.of("100MiB"), CacheSettings.READAHEAD);
        try (var volume = volumes.open(OpeningRequest.of("v", Access.READ, "test").cached(caching).lasting())) {
            equalContents(volume, "/lake");
        }
        Files.move(bucket(), directory.resolve("away"));
        try (var volume = volumes.open(OpeningRequest.of("v", Access.READ, "test").cached(caching).lasting())) {
            equalContents(volume, "/lake");
        }
        try (var volume = volumes.open("v", Access.READ, "test")) {
            assertThatThrownBy(() -> read(volume, "/lake/large")).isNotInstanceOf(ImportChangedException.class)
                    .hasMessageContaining("no directory");
            Files.move(directory.resolve("away"), bucket());
            equalContents(volume, "/lake");
        }
    }

    @Test
    void changesAreFoundByReadersAndByChecks() throws IOException {
        fill();
        create();
        run(url());
        Files.write(bucket().resolve("large"), noise(100, 5));
        Files.delete(bucket().resolve("d0/00"));
        var found = volumes.upkeep().check("v", true, Optional.empty(), Watcher.NONE);
        assertThat(found.problems()).extracting(each -> each.damage())
                .containsExactly(Damage.IMPORT_CHANGED, Damage.IMPORT_CHANGED);
        assertThat(volumes.upkeep().knownDamage(volumes.find("v"))).isPresent();
        contents.put("large", noise(100, 5));
        contents.remove("d0/00");
        var done = volumes.imports().refresh(LAKE, Owner.ROOT, false, new ImportListener() {});
        assertThat(done.getFirst().report().replaced()).isEqualTo(1);
        assertThat(done.getFirst().report().removed()).isEqualTo(1);
        try (var volume = volumes.open("v", Access.READ, "test")) {
            equalContents(volume, "/lake");
        }
        assertThat(volumes.upkeep().knownDamage(volumes.find("v"))).isEmpty();
        assertThat(volumes.upkeep().check("v", true, Optional.empty(), Watcher.NONE).problems()).isEmpty();
    }

    private static void put(ObjectStore bucket, String key, byte[] bytes) throws IOException {
        bucket.put(key, ByteBuffer.wrap(bytes), ObjectHeaders.NONE, PutCondition.ALWAYS);
    }

    /** The same over a real server; how many objects is a matter of patience. */
    @Test
    void aBucketIsImported() throws IOException {
        int count = Boolean.getBoolean("volsh.long") ? 20_000 : 60;
        var server = S3Server.shared();
        var url = StoreUrl.of("s3://%s/below/it?endpoint=%s&anonymous=true".formatted(server.newBucket(),
                server.endpoint()));
        var random = new Random(1);
        try (var bucket = OpenBuckets.open(url)) {
            for (int i = 0; i < count; i++) {
                contents.put("part-%03d/%06d".formatted(i / 1000, i),
                        noise(1 + random.nextInt(count > 1000 ? 100 : 2000), i));
            }
            contents.put("large", noise(2 * BLOCK + 1, 1));
            contents.put("ü +&%", noise(100, 1));
            put(bucket, contents);
            var before = listing(url);
            create();
            long began = System.nanoTime();
            var problems = new ArrayList<String>();
            var report = volumes.imports().run(LAKE, url, Owner.ROOT, false, new ImportListener() {
                @Override
                public void problem(String key, String why) {
                    problems.add(key);
                }
            });
            System.out.printf("imported %,d objects in %.1f s, %d requests%n", report.files(),
                    (System.nanoTime() - began) / 1e9, report.lists());
            assertThat(problems).isEmpty();
            assertThat(report.files()).isEqualTo(contents.size());
            try (var volume = volumes.open("v", Access.READ, "test")) {
                began = System.nanoTime();
                equalContents(volume, "/lake");
                System.out.printf("read all of them in %.1f s%n", (System.nanoTime() - began) / 1e9);
                put(bucket, "large", noise(2 * BLOCK + 1, 2));
                assertThatThrownBy(() -> read(volume, "/lake/large")).isInstanceOf(ImportChangedException.class)
                        .hasMessageContaining("changed in the bucket since the import");
                bucket.delete(List.of("large"));
                assertThatThrownBy(() -> read(volume, "/lake/large"))
                        .hasMessageContaining("deleted from the bucket since the import");
                put(bucket, "large", noise(2 * BLOCK + 1, 1));   // the same bytes have the same ETag
                assertThat(read(volume, "/lake/large")).isEqualTo(contents.get("large"));
            }
            volumes.destroy("v", false);
            assertThat(listing(url)).isEqualTo(before);
        }
    }

    private static void put(ObjectStore bucket, Map<String, byte[]> all) throws IOException {
        var failed = new ArrayList<IOException>();
        all.entrySet().parallelStream().forEach(each -> {
            try {
                put(bucket, each.getKey(), each.getValue());
            } catch (IOException failure) {
                failed.add(failure);
            }
        });
        assertThat(failed).isEmpty();
    }
}

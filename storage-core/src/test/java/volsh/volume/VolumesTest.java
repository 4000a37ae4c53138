package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.Profile;
import volsh.catalog.Refusal;
import volsh.catalog.Setting;
import volsh.catalog.StoreProbe;
import volsh.catalog.VolumeDraft;
import volsh.codec.Compression;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.lifecycle.DestructionWatcher;
import volsh.transfer.Get;
import volsh.transfer.Observer;
import volsh.transfer.Put;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;

@Tag("volume")
final class VolumesTest {
    @TempDir
    Path directory;

    private Volumes volumes() {
        var home = new Home(directory.resolve("config"), directory.resolve("state"), directory.resolve("cache"),
                directory.resolve("run"));
        return new Volumes(home, InstantSource.system(), Owner.ROOT);
    }

    @Test
    void treeComesBackAsItWas() throws Exception {
        var source = Files.createDirectory(directory.resolve("source"));
        fill(source);
        volumes().create(draft("data", "64KiB"));
        try (var volume = volumes()
                .open("data", Access.WRITE, "test"); var put = new Put(volume.vfs(), Optional.empty(), 4,
                Observer.NONE)) {
            put.add(source, Vfs.ROOT, Name.of("tree"));
            var summary = put.finish();
            assertThat(summary.failed()).isZero();
            assertThat(summary.files()).isEqualTo(83);
        }
        var target = directory.resolve("target");
        try (var volume = volumes()
                .open("data", Access.READ, "test"); var get = new Get(volume.vfs(), true, 4, Observer.NONE)) {
            get.add("data:/tree", volume.paths().resolve("/tree"), target);
            assertThat(get.finish().files()).isEqualTo(83);
            assertThat(volume.usage().inodes()).isEqualTo(1 + 83 + 4);
        }
        assertThat(listing(target)).isEqualTo(listing(source));
        assertThat(new ProcessBuilder("diff", "-r", "--no-dereference", source.toString(), target.toString()).start()
                .waitFor()).isZero();
    }

    /** As a kill leaves it: before it has its name, the next volume that is made takes it away. */
    @Test
    void whatAKilledCreationLeftIsTakenAwayByTheNext() throws Exception {
        var catalog = directory.resolve("state/catalog");
        volumes().create(draft("one", "64KiB"));
        var before = everything();
        var cut = volumes().create(draft("cut", "64KiB"));
        Files.createDirectories(catalog.resolve("creating"));
        Files.move(catalog.resolve("volumes/cut.json"), catalog.resolve("creating/" + cut.prefix() + ".json"));
        assertThat(volumes().names()).containsExactly("one");
        volumes().create(draft("two", "64KiB"));
        assertThat(everything()).hasSize(2 * before.size()).noneMatch(file -> file.contains(cut.id().toString()));
        assertThat(everything()).noneMatch(file -> file.contains(cut.prefix()));
    }

    /** A kill just after it got its name: it stays, also under another name. */
    @Test
    void aVolumeThatHasItsNameIsNotTakenAway() throws Exception {
        var catalog = directory.resolve("state/catalog");
        var made = volumes().create(draft("made", "64KiB"));
        Files.createDirectories(catalog.resolve("creating"));
        Files.copy(catalog.resolve("volumes/made.json"), catalog.resolve("creating/" + made.prefix() + ".json"));
        volumes().rename("made", "renamed");
        volumes().create(draft("other", "64KiB"));
        try (var volume = volumes().open("renamed", Access.WRITE, "test")) {
            assertThat(volume.usage().inodes()).isEqualTo(1);
        }
        assertThat(catalog.resolve("creating")).isEmptyDirectory();
    }

    /** Every file of the home but those that come and go with a lock or a log. */
    private List<String> everything() throws IOException {
        try (var files = Files.walk(directory.resolve("state"))) {
            return files.filter(Files::isRegularFile).map(Path::toString)
                    .filter(name -> !name.endsWith("/lock")).sorted().toList();
        }
    }

    private static void fill(Path source) throws IOException {
        var random = new Random(7);
        for (int d = 0; d < 3; d++) {
            var folder = Files.createDirectory(source.resolve("d" + d));
            for (int f = 0; f < 27; f++) {
                byte[] bytes = new byte[f == 26 ? 1_000_000 : random.nextInt(1 << random.nextInt(18))];
                random.nextBytes(bytes);
                Files.write(folder.resolve("f" + f), bytes);
            }
        }
        Files.createSymbolicLink(source.resolve("link"), Path.of("d0/f1"));
        Files.write(source.resolve("empty"), new byte[0]);
    }

    private static byte[] noise(int size) {
        byte[] bytes = new byte[size];
        new SplittableRandom(size).nextBytes(bytes);
        return bytes;
    }

    private static String listing(Path top) throws Exception {
        var process = new ProcessBuilder("find", ".", "-printf", "%p %m %T@ %s %l\n").directory(top.toFile()).start();
        var text = new String(process.getInputStream().readAllBytes());
        return String.join("\n",
                text.lines().map(line -> line.replaceAll("^(\\./d\\d|\\.) (\\d+ \\S+) \\d+", "$1 $2")).sorted()
                .toList());
    }

    @Test
    void destroyLeavesNothingBehind() throws Exception {
        var spec = volumes().create(draft("gone", "64KiB"));
        try (var volume = volumes()
                .open("gone", Access.WRITE, "test"); var put = new Put(volume.vfs(), Optional.empty(), 2,
                Observer.NONE)) {
            put.add(Files.write(directory.resolve("big"), noise(300_000)), Vfs.ROOT, Name.of("big"));
            put.finish();
            assertThatThrownBy(() -> volumes().destroy("gone", false)).isInstanceOf(Refusal.class)
                    .hasMessageContaining("in use");
        }
        // as a kill leaves it
        Files.write(directory.resolve("state/blocks/%s/.put-killed-1-1".formatted(spec.prefix())), noise(1000));
        volumes().destroy("gone", false);
        assertThat(volumes().list()).isEmpty();
        assertThat(filesBelow(directory.resolve("state/blocks"))).isZero();
        assertThat(filesBelow(directory.resolve("state/volumes"))).isZero();
    }

    @Test
    void removedFilesGiveTheirBlocksBack() throws Exception {
        volumes().create(draft("data", "64KiB"));
        try (var volume = volumes()
                .open("data", Access.WRITE, "test"); var put = new Put(volume.vfs(), Optional.empty(), 2,
                Observer.NONE)) {
            put.add(Files.write(directory.resolve("big"), noise(300_000)), Vfs.ROOT, Name.of("big"));
            put.finish();
        }
        assertThat(filesBelow(directory.resolve("state/blocks"))).isGreaterThan(1);
        try (var volume = volumes().open("data", Access.WRITE, "test")) {
            volume.vfs().unlink(Vfs.ROOT, Name.of("big"));
        }
        assertThat(filesBelow(directory.resolve("state/blocks"))).as("the owner mark").isEqualTo(1);
        try (var volume = volumes().open("data", Access.NAMES, "test")) {
            assertThat(volume.usage()).isEqualTo(new volsh.inventory.VolumeUsage(0, 1, 0));
        }
    }

    @Test
    void manyEnsureConverge() throws Exception {
        try (var threads = Executors.newFixedThreadPool(8)) {
            var calls = IntStream.range(0,
                    50).<Callable<Boolean>>mapToObj(i -> () -> volumes().ensure(VolumeDraft.named("one")).created())
                    .toList();
            int created = 0;
            for (var call : threads.invokeAll(calls)) {
                created += call.get() ? 1 : 0;
            }
            assertThat(created).isEqualTo(1);
        }
        assertThat(volumes().list()).hasSize(1);
        assertThat(filesBelow(directory.resolve("state/blocks"))).isEqualTo(1);
    }

    @Test
    void ensureRefusesAnotherBlockSize() throws Exception {
        volumes().create(draft("data", "64KiB"));
        assertThatThrownBy(() -> volumes().ensure(draft("data", "1MiB")))
                .isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.reason()).isEqualTo(Refusal.Reason.CONFLICT);
            assertThat(refusal.details()).containsExactly("block size: is 64KiB, asked for 1MiB");
        });
    }

    @Test
    void settingsRenameAndStores() throws Exception {
        var volumes = volumes();
        volumes.stores().add("lake", StoreUrl.of("file://" + directory.resolve("lake")));
        volumes.create(VolumeDraft.named("a").withStore("lake"));
        volumes.set("a", spec -> spec.with(Compression.of("zstd:9")).withLabel("tier", "gold"));
        volumes.rename("a", "b");
        var found = volumes().find("b");
        assertThat(found.compression()).isEqualTo(Compression.of("zstd:9"));
        assertThat(found.labels()).containsEntry("tier", "gold");
        assertThatThrownBy(() -> volumes.find("a")).isInstanceOf(Refusal.class);
        assertThatThrownBy(() -> volumes.stores().remove("lake")).isInstanceOf(Refusal.class)
                .hasMessageContaining("used by volume 'b'");
        volumes.destroy("b", false);
        volumes.stores().remove("lake");
        assertThat(volumes.stores().names()).containsExactly("default");
    }

    @Test
    void failedCreateLeavesNothing() throws Exception {
        var volumes = volumes();
        volumes.stores().add("bad", StoreUrl.of("file://" + directory.resolve("bad")));
        Files.delete(directory.resolve("bad"));
        Files.writeString(directory.resolve("bad"), "in the way");
        assertThatThrownBy(() -> volumes.create(VolumeDraft.named("a").withStore("bad")))
                .isInstanceOf(IOException.class);
        assertThat(volumes.list()).isEmpty();
        assertThat(filesBelow(directory.resolve("state/volumes"))).isZero();
    }

    @Test
    void aStoppedDestructionIsFinishedLater() throws Exception {
        volumes().create(draft("gone", "64KiB"));
        put("gone", 1_000_000);
        long blocks = filesBelow(directory.resolve("state/blocks"));
        var stopping = new DestructionWatcher() {
            private int deleted;

            @Override
            public void deleted(long bytes) {
                deleted++;
            }

            @Override
            public boolean cancelled() {
                return deleted >= 3;
            }
        };
        assertThatThrownBy(() -> volumes().destroy("gone", false, stopping))
                .hasMessageContaining("run it again to finish");
        assertThat(filesBelow(directory.resolve("state/blocks"))).isPositive().isLessThan(blocks);
        assertRefused(Refusal.Reason.CONFLICT, () -> volumes().open("gone", Access.READ, "test"));
        assertRefused(Refusal.Reason.CONFLICT, () -> volumes().create(draft("gone", "64KiB")));
        assertRefused(Refusal.Reason.CONFLICT, () -> volumes().ensure(draft("gone", "64KiB")));
        assertRefused(Refusal.Reason.CONFLICT, () -> volumes().rename("gone", "other"));
        assertThat(volumes().destroying()).containsExactly("gone");
        assertThat(volumes().names()).isEmpty();
        volumes().destroy("gone", false);
        assertThat(volumes().destroying()).isEmpty();
        assertThat(filesBelow(directory.resolve("state/blocks"))).isZero();
        assertThat(directory.resolve("state/volumes")).isEmptyDirectory();
        volumes().create(draft("gone", "64KiB"));
    }

    @Test
    void aForcedDestructionEndsWhoWrites() throws Exception {
        volumes().create(draft("gone", "64KiB"));
        var volume = volumes().open("gone", Access.WRITE, "test");
        volumes().destroy("gone", true);
        assertThatThrownBy(() -> {
            try (volume) {
                volume.vfs().makeDirectory(Vfs.ROOT, Name.of("late"), 0755, Owner.ROOT);
            }
        }).isInstanceOf(IOException.class);
        assertThat(filesBelow(directory.resolve("state/blocks"))).isZero();
    }

    @Test
    void aLateDestructionSparesAVolumeOfTheSameName() throws Exception {
        volumes().create(draft("data", "64KiB"));
        put("data", 100_000);
        var slow = new DestructionWatcher() {
            private boolean done;

            @Override
            public boolean cancelled() {
                if (!done) {
                    done = true;
                    remake();
                }
                return false;
            }

            private void remake() {
                try {
                    volumes().destroy("data", false);
                    volumes().create(draft("data", "1MiB"));
                } catch (IOException failed) {
                    throw new java.io.UncheckedIOException(failed);
                }
            }
        };
        volumes().destroy("data", false, slow);
        assertThat(volumes().find("data").blockSize()).isEqualTo(ByteSize.of("1MiB"));
        volumes().open("data", Access.WRITE, "test").close();
    }

    @Test
    void destructionSurvivesMissingMetadataOnlyByForce() throws Exception {
        volumes().create(draft("data", "64KiB"));
        try (var files = Files.walk(directory.resolve("state/volumes"))) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
        assertRefused(Refusal.Reason.UNAVAILABLE, () -> volumes().destroy("data", false));
        assertThat(volumes().names()).containsExactly("data");
        volumes().destroy("data", true);
        assertThat(volumes().names()).isEmpty();
    }

    @Test
    void theNameOfTheCatalogsFileCounts() throws Exception {
        volumes().create(draft("a", "64KiB"));
        var entries = directory.resolve("state/catalog/volumes");
        Files.move(entries.resolve("a.json"), entries.resolve("b.json"));   // where a rename stopped half way
        assertThat(volumes().find("b").name()).isEqualTo("b");
        try (var volume = volumes().open("b", Access.WRITE, "test")) {
            assertThat(volume.spec().name()).isEqualTo("b");
        }
        assertRefused(Refusal.Reason.NOT_FOUND, () -> volumes().find("a"));
    }

    @Test
    void whatIsForLifeCannotBeSet() throws Exception {
        volumes().create(draft("a", "64KiB"));
        volumes().create(draft("b", "64KiB"));
        var other = volumes().find("b");
        assertRefused(Refusal.Reason.CONFLICT, () -> volumes().set("a", before -> other));
        assertThat(volumes().find("a").id()).isNotEqualTo(other.id());
    }

    @Test
    void ensureTakesOnWhatMayChange() throws Exception {
        var volumes = volumes();
        assertThat(volumes.ensure(draft("a", "64KiB")).change()).isEqualTo(Volumes.Ensured.Change.CREATED);
        var wanted = draft("a", "64KiB").withCompression(Compression.of("zstd:9")).withInline(ByteSize.of("16KiB"))
                .withLabels(java.util.Map.of("k", "v"));
        assertThat(volumes.ensure(wanted).change()).isEqualTo(Volumes.Ensured.Change.UPDATED);
        assertThat(volumes.ensure(wanted).change()).isEqualTo(Volumes.Ensured.Change.UNCHANGED);
        assertThat(volumes.ensure(VolumeDraft.named("a")).change()).isEqualTo(Volumes.Ensured.Change.UNCHANGED);
        try (var volume = volumes.open("a", Access.NAMES, "test")) {
            assertThat(volume.spec().compression()).isEqualTo(Compression.of("zstd:9"));
        }
        assertRefused(Refusal.Reason.CONFLICT, () -> volumes.ensure(VolumeDraft.named("a").withProfile(Profile.VIDEO)));
    }

    @Test
    void everyProfileMakesAVolumeAndExplainsIt() throws Exception {
        for (var profile : Profile.values()) {
            var spec = volumes().design(VolumeDraft.named("a").withProfile(profile));
            var origin = profile == Profile.GENERAL ? Setting.Origin.DEFAULT : Setting.Origin.PROFILE;
            assertThat(Setting.of(spec)).hasSize(5).allSatisfy(setting -> assertThat(setting.reason()).isNotBlank());
            assertThat(Setting.of(spec).subList(1, 4))
                    .allSatisfy(setting -> assertThat(setting.origin()).isEqualTo(origin));
        }
    }

    @Test
    void aProbeTellsAndLeavesNothing() throws Exception {
        volumes().stores().add("lake", StoreUrl.of("file://" + directory.resolve("lake")));
        var left = Files.createDirectories(directory.resolve("lake/probe-0123abcd")).resolve("object-0");
        Files.setLastModifiedTime(Files.writeString(left, "of a probe that was killed"),
                FileTime.from(Instant.now().minus(Duration.ofHours(25))));
        var steps = volumes().stores().probe("lake", new StoreProbe(ByteSize.of("64KiB"), 3));
        assertThat(steps).extracting(StoreProbe.Step::operation)
                .containsExactly("put", "get", "range", "list", "delete");
        assertThat(steps).allSatisfy(step -> assertThat(step.latency()).isPositive().isLessThanOrEqualTo(step.worst()));
        assertThat(directory.resolve("lake")).isEmptyDirectory();
        volumes().stores().add("flaky", StoreUrl.of("file://" + directory.resolve("flaky") + "?errors=100%&seed=1"));
        assertRefused(Refusal.Reason.UNAVAILABLE,
                () -> volumes().stores().probe("flaky", new StoreProbe(ByteSize.of("1KiB"), 3)));
        assertThat(filesBelow(directory.resolve("flaky"))).isZero();
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private static void assertRefused(Refusal.Reason reason, Attempt attempt) {
        assertThatThrownBy(attempt::run)
                .isInstanceOfSatisfying(Refusal.class, refusal -> assertThat(refusal.reason()).isEqualTo(reason));
    }

    private void put(String name, int bytes) throws IOException {
        try (var volume = volumes()
                .open(name, Access.WRITE, "test"); var put = new Put(volume.vfs(), Optional.empty(), 2,
                Observer.NONE)) {
            byte[] content = new byte[bytes];
            new SplittableRandom(bytes).nextBytes(content);
            put.add(Files.write(directory.resolve("big"), content), Vfs.ROOT, Name.of("big"));
            put.finish();
        }
    }

    private static VolumeDraft draft(String name, String blockSize) {
        return VolumeDraft.named(name).withBlockSize(ByteSize.of(blockSize));
    }

    private static long filesBelow(Path top) throws IOException {
        if (!Files.exists(top)) {
            return 0;
        }
        try (var found = Files.walk(top)) {
            return found.filter(Files::isRegularFile).count();
        }
    }
}

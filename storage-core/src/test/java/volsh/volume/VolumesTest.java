package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.codec.Compression;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.transfer.Get;
import volsh.transfer.Observer;
import volsh.transfer.Put;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;

final class VolumesTest {
    @TempDir
    Path directory;

    private Volumes volumes() {
        var home = new Home(directory.resolve("config"), directory.resolve("state"), directory.resolve("cache"), directory.resolve("run"));
        return new Volumes(home, InstantSource.system(), Owner.ROOT);
    }

    @Test
    void treeComesBackAsItWas() throws Exception {
        var source = Files.createDirectory(directory.resolve("source"));
        fill(source);
        volumes().create(draft("data", "64KiB"));
        try (var volume = volumes().open("data", Access.WRITE, "test"); var put = new Put(volume.vfs(), Optional.empty(), 4, Observer.NONE)) {
            put.add(source, Vfs.ROOT, Name.of("tree"));
            var summary = put.finish();
            assertThat(summary.failed()).isZero();
            assertThat(summary.files()).isEqualTo(83);
        }
        var target = directory.resolve("target");
        try (var volume = volumes().open("data", Access.READ, "test"); var get = new Get(volume.vfs(), true, 4, Observer.NONE)) {
            get.add("data:/tree", volume.paths().resolve("/tree"), target);
            assertThat(get.finish().files()).isEqualTo(83);
            assertThat(volume.usage().inodes()).isEqualTo(1 + 83 + 4);
        }
        assertThat(listing(target)).isEqualTo(listing(source));
        assertThat(new ProcessBuilder("diff", "-r", "--no-dereference", source.toString(), target.toString()).start().waitFor()).isZero();
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
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static String listing(Path top) throws Exception {
        var process = new ProcessBuilder("find", ".", "-printf", "%p %m %T@ %s %l\n").directory(top.toFile()).start();
        var text = new String(process.getInputStream().readAllBytes());
        return String.join("\n", text.lines().map(line -> line.replaceAll("^(\\./d\\d|\\.) (\\d+ \\S+) \\d+", "$1 $2")).sorted().toList());
    }

    @Test
    void destroyLeavesNothingBehind() throws Exception {
        volumes().create(draft("gone", "64KiB"));
        try (var volume = volumes().open("gone", Access.WRITE, "test"); var put = new Put(volume.vfs(), Optional.empty(), 2, Observer.NONE)) {
            put.add(Files.write(directory.resolve("big"), noise(300_000)), Vfs.ROOT, Name.of("big"));
            put.finish();
            assertThatThrownBy(() -> volumes().destroy("gone", false)).isInstanceOf(Refusal.class).hasMessageContaining("in use: test");
        }
        volumes().destroy("gone", false);
        assertThat(volumes().list()).isEmpty();
        assertThat(filesBelow(directory.resolve("state/blocks"))).isZero();
        assertThat(filesBelow(directory.resolve("state/volumes"))).isZero();
    }

    @Test
    void removedFilesGiveTheirBlocksBack() throws Exception {
        volumes().create(draft("data", "64KiB"));
        try (var volume = volumes().open("data", Access.WRITE, "test"); var put = new Put(volume.vfs(), Optional.empty(), 2, Observer.NONE)) {
            put.add(Files.write(directory.resolve("big"), noise(300_000)), Vfs.ROOT, Name.of("big"));
            put.finish();
        }
        assertThat(filesBelow(directory.resolve("state/blocks"))).isGreaterThan(1);
        try (var volume = volumes().open("data", Access.WRITE, "test")) {
            volume.vfs().unlink(Vfs.ROOT, Name.of("big"));
        }
        assertThat(filesBelow(directory.resolve("state/blocks"))).as("the owner mark").isEqualTo(1);
        try (var volume = volumes().open("data", Access.NAMES, "test")) {
            assertThat(volume.usage()).isEqualTo(new volsh.meta.Usage(0, 1, 0));
        }
    }

    @Test
    void manyEnsureConverge() throws Exception {
        try (var threads = Executors.newFixedThreadPool(8)) {
            var calls = IntStream.range(0, 50).<Callable<Boolean>>mapToObj(i -> () -> volumes().ensure(VolumeDraft.named("one")).created()).toList();
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
        assertThatThrownBy(() -> volumes().ensure(draft("data", "1MiB"))).isInstanceOf(Refusal.class).hasMessageContaining("64KiB, not 1MiB");
    }

    @Test
    void settingsRenameAndStores() throws Exception {
        var volumes = volumes();
        volumes.addStore("lake", StoreUrl.of("file://" + directory.resolve("lake")));
        var draft = VolumeDraft.named("a");
        volumes.create(new VolumeDraft("a", Optional.of("lake"), draft.profile(), draft.blockSize(), draft.compression(), draft.inline(), draft.labels()));
        volumes.set("a", spec -> spec.with(Compression.of("zstd:9")).withLabel("tier", "gold"));
        volumes.rename("a", "b");
        var found = volumes().find("b");
        assertThat(found.compression()).isEqualTo(Compression.of("zstd:9"));
        assertThat(found.labels()).containsEntry("tier", "gold");
        assertThatThrownBy(() -> volumes.find("a")).isInstanceOf(Refusal.class);
        assertThatThrownBy(() -> volumes.removeStore("lake")).isInstanceOf(Refusal.class).hasMessageContaining("used by volume 'b'");
        volumes.destroy("b", false);
        volumes.removeStore("lake");
        assertThat(volumes.stores()).isEmpty();
    }

    @Test
    void failedCreateLeavesNothing() throws Exception {
        Files.writeString(directory.resolve("file"), "in the way");
        var volumes = volumes();
        volumes.addStore("bad", StoreUrl.of("file://" + directory.resolve("file/below")));
        var draft = VolumeDraft.named("a");
        assertThatThrownBy(() -> volumes.create(
                new VolumeDraft("a", Optional.of("bad"), draft.profile(), draft.blockSize(), draft.compression(), draft.inline(), draft.labels())))
                .isInstanceOf(IOException.class);
        assertThat(volumes.list()).isEmpty();
        assertThat(filesBelow(directory.resolve("state/volumes"))).isZero();
    }

    private static VolumeDraft draft(String name, String blockSize) {
        var draft = VolumeDraft.named(name);
        return new VolumeDraft(name, draft.store(), draft.profile(), Optional.of(ByteSize.of(blockSize)), draft.compression(), draft.inline(), draft.labels());
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

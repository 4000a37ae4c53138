package volsh.command.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.assembly.CacheSettings;
import volsh.cache.disk.Quota;
import volsh.catalog.Access;
import volsh.catalog.Refusal;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;

final class CacheCommandsTest {
    private static final int SIZE = 1 << 20;

    @TempDir
    Path directory;
    private Scratch scratch;
    private Path cache;

    @BeforeEach
    void home() {
        scratch = new Scratch(directory.resolve("home"));
        cache = directory.resolve("cache");
        ok("volume create a --block-size 256KiB --compression none");
    }

    private Ended ok(String line) {
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    private Volume open(Path... directories) throws IOException {
        return scratch.volumes().open(OpeningRequest.of("a", Access.WRITE, "test")
                .cached(new CacheSettings(new ByteSize(0), List.of(directories), Quota.of("64MiB"))));
    }

    private void fill() throws IOException {
        try (var volume = open(cache)) {
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
                var bytes = new byte[SIZE];
                new SplittableRandom(1).nextBytes(bytes);
                file.write(0, ByteBuffer.wrap(bytes));
                file.flush();
            }
            awaitKept(volume, 8);   // who closes it does not wait for long
        }
    }

    /** Frames are written to the directory behind the writer's back. */
    private static void awaitKept(Volume volume, int frames) {
        Eventually.value(frames + " frames are kept", () -> volume.caches().directories().getFirst().kept(),
                kept -> kept >= frames);
    }

    private List<Path> blocks() throws IOException {
        try (var all = Files.walk(cache)) {
            return all.filter(path -> path.getFileName().toString().matches("[0-9a-f]{16}")).toList();
        }
    }

    @Test
    void statusVerifyAndEvict() throws IOException {
        fill();
        assertThat(ok("cache status " + cache + " -o csv --columns volume,state,blocks,frames").out())
                .isEqualTo("volume,state,blocks,frames\na,idle,4,8\n");
        assertThat(ok("cache verify " + cache + " -o csv --columns frames,dropped").out())
                .isEqualTo("frames,dropped\n8,0\n");
        var victim = blocks().getFirst();
        var bytes = Files.readAllBytes(victim);
        bytes[bytes.length / 2] ^= 1;
        Files.write(victim, bytes);
        assertThat(ok("cache verify " + cache + " --dry-run").out()).contains("verify", cache.toString());
        Ended found = scratch.run("cache verify " + cache + " -o json");
        assertThat(found.status()).isEqualTo(7);
        assertThat(found.out()).contains("\"frames\": 6", "\"dropped\": 1");
        assertThat(found.err()).contains("dropped 1 damaged blocks");
        assertThat(blocks()).hasSize(3).doesNotContain(victim);
        ok("cache verify " + cache);
        assertThat(ok("cache evict " + cache + " -n").out()).contains("evict", "volume a", "3 blocks");
        assertThat(blocks()).hasSize(3);
        assertThat(ok("cache evict " + cache).err()).contains("freed");
        assertThat(blocks()).isEmpty();
        assertThat(ok("cache status " + cache + " -o csv --columns blocks").out()).isEqualTo("blocks\n0\n");
    }

    @Test
    void aDestroyedVolumeLeavesNothingInItsCaches() throws IOException {
        fill();
        ok("volume create b");
        try (var other = scratch.volumes().open(OpeningRequest.of("b", Access.READ, "test")
                .cached(new CacheSettings(new ByteSize(0), List.of(cache), Quota.of("64MiB"))))) {
            assertThat(other.caches().directories()).hasSize(1);
        }
        var id = scratch.volumes().find("a").id().toString();
        assertThat(cache.resolve(id)).isDirectory();
        assertThat(ok("volume destroy a --dry-run").out()).contains("destroy");
        assertThat(cache.resolve(id)).isDirectory();
        ok("volume destroy a --confirm a");
        assertThat(cache.resolve(id)).doesNotExist();
        assertThat(cache.resolve(scratch.volumes().find("b").id().toString())).as("another volume's").isDirectory();
    }

    @Test
    void whatIsNotThereIsSaid() {
        assertThat(ok("cache status -o csv --columns volume").out()).isEqualTo("volume\n");
        Ended missing = scratch.run("cache status " + directory.resolve("nowhere"));
        assertThat(missing.status()).isEqualTo(3);
        assertThat(missing.err()).contains("no such directory");
        assertThat(scratch.run("cache status nothing").status()).isEqualTo(3);
        Ended unused = scratch.run("cache evict a");
        assertThat(unused.status()).isEqualTo(3);
        assertThat(unused.err()).contains("no mount of volume 'a' has a cache directory");
        assertThat(scratch.run("cache evict").status()).isEqualTo(2);
    }

    @Test
    void oneOfAVolumeFillsADirectoryAtATime() throws IOException {
        try (var volume = open(cache)) {
            assertThat(volume.caches().directories()).hasSize(1);
            assertThatThrownBy(() -> open(directory.resolve("other"), cache)).isInstanceOf(Refusal.class)
                    .hasMessageContaining("in use by another mount of this volume, process "
                            + ProcessHandle.current().pid());
            open(directory.resolve("other")).close();
        }
        open(directory.resolve("other"), cache).close();
    }

    /**
     * Java's own bookkeeping would refuse a second lock of this process: only the kernel's table shows what other
     * processes see.
     */
    @Test
    void theLockOutlivesTheFirstWrites() throws IOException {
        try (var volume = open(cache); var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
            var lock = cache.resolve(volume.spec().id().toString()).resolve("lock");
            assertThat(locked(lock)).isTrue();
            file.write(0, ByteBuffer.wrap(new byte[SIZE]));
            file.flush();
            awaitKept(volume, 1);
            assertThat(locked(lock)).isTrue();
        }
    }

    private static boolean locked(Path file) throws IOException {
        var inode = ":" + Files.getAttribute(file, "unix:ino") + " ";
        return Files.readAllLines(Path.of("/proc/locks")).stream().anyMatch(line -> line.contains(inode));
    }

    @Test
    void unusableDirectoriesAreRefused() throws IOException {
        var file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> open(file)).isInstanceOf(Refusal.class).hasMessageContaining("it is not a directory");
        var link = Files.createSymbolicLink(directory.resolve("link"),
                Files.createDirectory(directory.resolve("target")));
        assertThatThrownBy(() -> open(link)).as("a link").isInstanceOf(Refusal.class);
        var mountPoint = Files.createDirectory(directory.resolve("m"));
        Ended covered = scratch.run("mount a %s --cache-dir %s".formatted(mountPoint, mountPoint.resolve("cache")));
        assertThat(covered.status()).isEqualTo(2);
        assertThat(covered.err()).contains("would be hidden by the mount");
        Ended alone = scratch.run("mount a %s --cache-size 1GiB".formatted(mountPoint));
        assertThat(alone.status()).isEqualTo(2);
        assertThat(scratch.run("mount a %s --cache-dir /c --cache-size 0%%".formatted(mountPoint)).err())
                .contains("cache size must not be 0");
    }
}

package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.assembly.CacheSettings;
import volsh.assembly.VolumeKeys;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.KeySource;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.secret.Secrets;
import volsh.unit.ByteSize;
import volsh.upkeep.Watcher;
import volsh.vfs.Vfs;
import volsh.writeback.Writeback;

/** Encrypted volumes: nothing that this machine or a store keeps shows bytes of files, and only a key opens them. */
@Tag("volume")
@Tag("data")
final class EncryptedVolumeTest {
    private static final int FILES = Boolean.getBoolean("volsh.long") ? 1_000 : 60;
    private static final byte[] SECRET = "planted-plaintext-".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path directory;

    private Path keyFile;

    @BeforeEach
    void key() throws IOException {
        keyFile = keyFile("one.key", 1);
    }

    private Path keyFile(String name, int seed) throws IOException {
        var bytes = new byte[32];
        new SplittableRandom(seed).nextBytes(bytes);
        var file = Files.createFile(directory.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.write(file, bytes);
    }

    /** A process of its own would begin so: without any key in memory. */
    private Volumes volumes() {
        return new Volumes(Home.of(Map.of("VOLSH_HOME", directory.resolve("home").toString()), false),
                InstantSource.system(), Owner.ROOT);
    }

    private KeyControl keys() {
        return volumes().settings().keys();
    }

    private static VolumeDraft draft(String name, Path key) {
        return VolumeDraft.named(name).withBlockSize(ByteSize.of("64KiB")).encrypted(new KeySource.File(key));
    }

    private static byte[] content(int file) {
        var bytes = new byte[30 + file * 997 % 150_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = SECRET[i % SECRET.length];
        }
        bytes[bytes.length - 1] = (byte) file;
        return bytes;
    }

    private void write(Volume volume) throws IOException {
        volume.gatherInBackground();   // as mounts do: not here
        for (int i = 0; i < FILES; i++) {
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f" + i), 0644, Owner.ROOT)) {
                file.write(0, ByteBuffer.wrap(content(i)));
            }
        }
    }

    private void requireRight(Volume volume) throws IOException {
        for (int i = 0; i < FILES; i++) {
            try (var file = volume.vfs().open(volume.paths().resolve("/f" + i).ino())) {
                var bytes = ByteBuffer.allocate(content(i).length + 1);
                int got = file.read(0, bytes);
                assertThat(Arrays.copyOf(bytes.array(), got)).isEqualTo(content(i));
            }
        }
    }

    /** The files below the directory that have a run of the planted text. */
    private static List<Path> leaks(Path directory) throws IOException {
        String wanted = new String(SECRET, StandardCharsets.ISO_8859_1);
        var found = new ArrayList<Path>();
        try (var files = Files.walk(directory)) {
            for (var file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(wanted)) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    @Test
    void nothingAtRestShowsTheBytes() throws Exception {
        volumes().create(draft("secret", keyFile));
        try (var volume = volumes().open("secret", Access.WRITE, "test")) {
            write(volume);
            requireRight(volume);
        }
        assertThat(leaks(directory)).isEmpty();
        try (var volume = volumes().open("secret", Access.READ, "test")) {
            requireRight(volume);
        }
        var control = volumes();
        control.create(VolumeDraft.named("plain").withBlockSize(ByteSize.of("64KiB")));
        try (var volume = control.open("plain", Access.WRITE, "test")) {
            write(volume);
        }
        assertThat(leaks(directory)).as("negative control").isNotEmpty();
    }

    @Test
    void aWrongKeyAndNoKeyAreRefused() throws Exception {
        var spec = volumes().create(draft("secret", keyFile));
        Files.write(keyFile, new byte[32]);
        var unable = volumes();
        forget(spec);
        assertThatThrownBy(() -> unable.open("secret", Access.READ, "test").close())
                .isInstanceOfSatisfying(Refusal.class, refused -> {
                    assertThat(refused.reason()).isEqualTo(Reason.FORBIDDEN);
                    assertThat(refused).hasMessageStartingWith("wrong key for volume 'secret': none of its 1 keys");
                });
        Files.delete(keyFile);
        assertThatThrownBy(() -> unable.open("secret", Access.READ, "test").close())
                .hasMessage("key file %s does not exist", keyFile);
        var other = keyFile("two.key", 2);
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> keys().use("secret", new KeySource.File(other)))
                .hasMessage("key file %s can be read or changed by others", other);
    }

    /** Keys that are open in this process would hide what another one sees. */
    private static void forget(VolumeSpec spec) {
        Secrets.dropKey(VolumeKeys.handedName(spec.id()));
    }

    @Test
    void keysAreAddedRotatedAndRemovedWithoutRewritingData() throws Exception {
        var volumes = volumes();
        var spec = volumes.create(draft("secret", keyFile));
        try (var volume = volumes.open("secret", Access.WRITE, "test")) {
            write(volume);
        }
        var before = Files.getLastModifiedTime(blocks());
        var second = new KeySource.File(keyFile("two.key", 2));
        var third = new KeySource.File(keyFile("three.key", 3));
        keys().add("secret", "ops", second);
        assertThatThrownBy(() -> keys().add("secret", "ops", third))
                .hasMessage("volume 'secret' has a key 'ops' already");
        keys().rotate("secret", VolumeKeys.FIRST, third);
        assertThat(keys().list("secret").encryption().labels()).containsExactly("ops", VolumeKeys.FIRST);
        forget(spec);
        assertThatThrownBy(() -> keys().use("secret", new KeySource.File(keyFile)))
                .hasMessageStartingWith("wrong key");
        keys().use("secret", second);
        forget(spec);
        keys().remove("secret", VolumeKeys.FIRST);
        assertThatThrownBy(() -> keys().remove("secret", "ops")).hasMessageContaining("is the last key");
        assertThatThrownBy(() -> keys().remove("secret", "opz")).hasMessageContaining("has no key 'opz'");
        forget(spec);
        try (var volume = volumes().open("secret", Access.READ, "test")) {
            requireRight(volume);
        }
        assertThat(Files.getLastModifiedTime(blocks())).isEqualTo(before);
    }

    @Test
    void noMoreKeysThanFit() throws Exception {
        var volumes = volumes();
        volumes.create(draft("secret", keyFile));
        int more = 33;
        for (int i = 2; i < more; i++) {
            keys().add("secret", "k" + i, new KeySource.File(keyFile));
        }
        assertThatThrownBy(() -> keys().add("secret", "k33", new KeySource.File(keyFile)))
                .hasMessage("volume 'secret' has 32 keys, the most it can have");
        assertThat(volumes().find("secret").encryption().labels()).hasSize(32);
        assertThatThrownBy(() -> keys().use("secret", new KeySource.Command("echo " + "x".repeat(9_000))))
                .hasMessageContaining("is longer than");
    }

    private Path blocks() {
        return directory.resolve("home/state/blocks");
    }

    @Test
    void journalsAndCacheDirectoriesShowNothing() throws Exception {
        volumes().create(draft("secret", keyFile));
        var caches = new CacheSettings(ByteSize.of("1MiB"), List.of(directory.resolve("cache")), CacheSettings.QUOTA);
        try (var volume = volumes().open(OpeningRequest.of("secret", Access.WRITE, "test").cached(caches)
                .lasting(Optional.of(Writeback.USUAL)))) {
            write(volume);
            requireRight(volume);
            assertThat(leaks(directory)).isEmpty();
        }
        try (var volume = volumes().open(OpeningRequest.of("secret", Access.READ, "test").cached(caches))) {
            requireRight(volume);
            requireRight(volume);
        }
        assertThat(leaks(directory)).isEmpty();
        try (var files = Files.walk(directory.resolve("cache"))) {
            assertThat(files.filter(Files::isRegularFile).count()).isPositive();
        }
    }

    /** Blocks that somebody put in each other's place, or in place of an earlier state. */
    @Test
    void swappedObjectsAreErrors() throws Exception {
        volumes().create(draft("secret", keyFile));
        try (var volume = volumes().open("secret", Access.WRITE, "test")) {
            write(volume);
        }
        List<Path> objects;
        try (var files = Files.walk(blocks())) {
            objects = files.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().matches("[0-9a-f]{16}")).sorted().toList();
        }
        assertThat(objects).hasSizeGreaterThan(2);
        for (int i = 0; i + 1 < objects.size(); i += 2) {
            byte[] one = Files.readAllBytes(objects.get(i));
            Files.write(objects.get(i), Files.readAllBytes(objects.get(i + 1)));
            Files.write(objects.get(i + 1), one);
        }
        int wrong = 0;
        try (var volume = volumes().open("secret", Access.READ, "test")) {
            for (int i = 0; i < FILES; i++) {
                try (var file = volume.vfs().open(volume.paths().resolve("/f" + i).ino())) {
                    var bytes = ByteBuffer.allocate(content(i).length);
                    int got = file.read(0, bytes);
                    assertThat(Arrays.copyOf(bytes.array(), got)).isEqualTo(content(i));
                } catch (IOException damaged) {
                    wrong++;
                }
            }
        }
        assertThat(wrong).isPositive();
    }

    @Test
    void checksReadEncryptedBlocks() throws Exception {
        var volumes = volumes();
        volumes.create(draft("secret", keyFile));
        try (var volume = volumes.open("secret", Access.WRITE, "test")) {
            write(volume);
        }
        assertThat(volumes.upkeep().check("secret", true, Optional.empty(), Watcher.NONE).problems()).isEmpty();
    }

    @Test
    void bytesOfFilesAreNeverInMetadata() {
        assertThatThrownBy(() -> volumes().design(draft("secret", keyFile).withInline(ByteSize.of("4KiB"))))
                .hasMessageStartingWith("--inline 4KiB and --encrypt exclude each other");
        assertThatThrownBy(() -> volumes().create(draft("x", directory.resolve("none.key"))))
                .hasMessageEndingWith("none.key does not exist");
        assertThat(directory.resolve("home/state/catalog/volumes/x.json")).doesNotExist();
    }
}

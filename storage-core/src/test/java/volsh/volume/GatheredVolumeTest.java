package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.unit.ByteSize;
import volsh.vfs.PackingListener;
import volsh.vfs.PackingRules;
import volsh.vfs.Vfs;

/** Volumes as mounts open them: small files are in the metadata first, and stay there if the mount ends before. */
@Tag("volume")
final class GatheredVolumeTest {
    private static final int FILES = 20;

    @TempDir
    private Path directory;

    private Volumes volumes() {
        return new Volumes(Home.of(Map.of("VOLSH_HOME", directory.resolve("home").toString()), false),
                InstantSource.system(), Owner.ROOT);
    }

    private static byte[] content(int file) {
        byte[] bytes = new byte[7000 + file];
        Arrays.fill(bytes, (byte) file);
        return bytes;
    }

    private static void write(Volume volume) throws IOException {
        for (int i = 0; i < FILES; i++) {
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f" + i), 0644, Owner.ROOT)) {
                file.write(0, ByteBuffer.wrap(content(i)));
            }
        }
    }

    private static void requireRight(Volume volume) throws IOException {
        for (int i = 0; i < FILES; i++) {
            byte[] found = new byte[content(i).length];
            try (var file = volume.vfs().open(volume.vfs().lookup(Vfs.ROOT, Name.of("f" + i)).ino())) {
                assertThat(file.read(0, ByteBuffer.wrap(found))).isEqualTo(found.length);
            }
            assertThat(found).isEqualTo(content(i));
        }
    }

    private long blocks() throws IOException {
        try (var files = Files.walk(directory)) {
            return files.map(Path::toString).filter(file -> file.matches(".*/blocks/[0-9a-f]{2}/[0-9a-f]+")).count();
        }
    }

    @Test
    void theyOutliveTheirMountAndArePackedLater() throws IOException {
        volumes().create(VolumeDraft.named("data"));
        try (var volume = volumes().open("data", Access.WRITE, "test")) {
            volume.gatherInBackground();
            write(volume);
        }
        assertThat(blocks()).isZero();
        try (var volume = volumes().open("data", Access.WRITE, "test")) {
            requireRight(volume);
            volume.vfs().packing().pack(Vfs.ROOT, true, PackingRules.NOW, PackingListener.NONE);
            requireRight(volume);
        }
        assertThat(blocks()).isEqualTo(1);
        try (var volume = volumes().open("data", Access.READ, "test")) {
            requireRight(volume);
        }
    }

    @Test
    void writingOutStoresThem() throws IOException {
        volumes().create(VolumeDraft.named("data"));
        try (var volume = volumes().open("data", Access.WRITE, "test")) {
            volume.gatherInBackground();
            write(volume);
            volume.writeOut();
            assertThat(blocks()).isEqualTo(1);
            requireRight(volume);
        }
    }

    @Test
    void notWhereNoFileMayBeInline() throws IOException {
        volumes().create(VolumeDraft.named("data").withInline(ByteSize.of("0")));
        try (var volume = volumes().open("data", Access.WRITE, "test")) {
            volume.gatherInBackground();
            write(volume);
            requireRight(volume);
        }
        assertThat(blocks()).isEqualTo(FILES);
    }
}

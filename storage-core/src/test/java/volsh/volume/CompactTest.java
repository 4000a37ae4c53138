package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.unit.ByteSize;
import volsh.upkeep.Watcher;
import volsh.vfs.Vfs;

/** Files that were written here and there are in few extents afterwards, and read as before. */
@Tag("volume")
final class CompactTest {
    private static final int BLOCK = 64 << 10;
    private static final int SIZE = 300_000;

    @TempDir
    private Path directory;

    @Test
    void extentsBecomeFewAndBytesStay() throws IOException {
        var volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", directory.toString()), false), InstantSource.system(),
                Owner.ROOT);
        volumes.create(VolumeDraft.named("v").withBlockSize(new ByteSize(BLOCK)).withInline(new ByteSize(0)));
        byte[] right = new byte[SIZE];
        try (var volume = volumes.open("v", Access.WRITE, "test");
                var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
            var random = new Random(3);
            file.write(0, ByteBuffer.wrap(right));
            for (int part = 0; part < SIZE; part += BLOCK) {   // few enough for nobody to merge them on his own
                byte[] piece = new byte[3000];
                random.nextBytes(piece);
                int at = part + 10_000 + random.nextInt(10_000);
                System.arraycopy(piece, 0, right, at, piece.length);
                file.write(at, ByteBuffer.wrap(piece));
                file.flush();
            }
        }
        try (var volume = volumes.open("v", Access.WRITE, "test")) {
            var before = volume.statistics(Watcher.NONE);
            long[] paced = new long[1];
            var done = volume.compact(2, bytes -> paced[0] += bytes, Watcher.NONE);
            var after = volume.statistics(Watcher.NONE);
            assertThat(before.files()).isEqualTo(1);
            assertThat(done.blocks()).isPositive();
            assertThat(paced[0]).isEqualTo(done.bytes()).isPositive();
            assertThat(after.extents()).isLessThan(before.extents()).isLessThanOrEqualTo(2 * (SIZE / BLOCK + 1));
            assertThat(volume.compact(2, bytes -> {}, Watcher.NONE).blocks()).isZero();
        }
        try (var volume = volumes.open("v", Access.READ, "test");
                var file = volume.vfs().open(volume.paths().resolve("/f").ino())) {
            var there = ByteBuffer.allocate(SIZE);
            while (there.hasRemaining()) {
                file.read(there.position(), there);
            }
            assertThat(there.array()).isEqualTo(right);
        }
        assertThat(volumes.upkeep().check("v", true, Optional.empty(), Watcher.NONE).isClean()).isTrue();
    }
}

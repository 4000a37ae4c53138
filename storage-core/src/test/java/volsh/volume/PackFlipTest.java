package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.codec.CorruptBlockException;
import volsh.writeback.Writeback;

/** Objects that hold many blocks, with bits flipped and cut off: the files in them are right, or refused as damaged. */
@Tag("volume")
final class PackFlipTest {
    private static final int FLIPS = Boolean.getBoolean("volsh.long") ? 2_000 : 60;
    private static final int FILES = 12;
    private static final int LENGTH = 9_000;

    @TempDir
    Path directory;

    private List<Path> packs() throws IOException {
        try (var all = Files.walk(directory.resolve("bucket"))) {
            return all.filter(Files::isRegularFile).filter(path -> path.toString().contains("/packs/")).toList();
        }
    }

    @Test
    void aFlippedBitOfAPackIsToldAndOthersAreRead() throws Exception {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        var random = new Random(seed);
        var machine = new Machine(directory.resolve("first"));
        machine.create("data", StoreUrl.of(directory.resolve("bucket").toUri().toString()));
        var lazy = new Writeback(Optional.empty(), Writeback.LIMIT, Duration.ofHours(1), Duration.ZERO);
        try (var volume = machine.volumes()
                .open(OpeningRequest.of("data", Access.WRITE, "test").lasting(Optional.of(lazy)))) {
            for (int i = 0; i < FILES; i++) {
                Machine.write(volume, "f" + i, Machine.bytes(i, LENGTH));
            }
            assertThat(volume.store(Duration.ofMinutes(2))).isTrue();
        }
        assertThat(packs()).isNotEmpty();
        int told = 0;
        try (var volume = machine.volumes().open(OpeningRequest.of("data", Access.READ, "test").lasting())) {
            assertThat(damaged(volume)).isZero();
            for (int i = 0; i < FLIPS; i++) {
                var pack = packs().get(random.nextInt(packs().size()));
                byte[] whole = Files.readAllBytes(pack);
                byte[] wrong = i % 6 == 5 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
                if (wrong.length == whole.length) {
                    wrong[random.nextInt(wrong.length)] ^= (byte) (1 << random.nextInt(8));
                }
                Files.write(pack, wrong);
                int found = damaged(volume);
                assertThat(found).as("seed %d, flip %d", seed, i)
                        .isLessThanOrEqualTo(wrong.length == whole.length ? 1 : FILES);
                told += found > 0 ? 1 : 0;
                Files.write(pack, whole);
            }
            assertThat(damaged(volume)).as("after all is mended").isZero();
        }
        System.out.printf("pack flips, seed %d: %d of %d told%n", seed, told, FLIPS);
        assertThat(told).isGreaterThan(FLIPS / 2);
    }

    /** How many files cannot be read; those that can have the right bytes. */
    private static int damaged(Volume volume) throws IOException {
        int damaged = 0;
        for (int i = 0; i < FILES; i++) {
            var target = ByteBuffer.allocateDirect(LENGTH + 1);
            try (var file = volume.vfs().open(volume.paths().resolve("/f" + i).ino())) {
                file.read(0, target);
                assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(Machine.bytes(i, LENGTH)));
            } catch (CorruptBlockException told) {
                damaged++;
            }
        }
        return damaged;
    }
}

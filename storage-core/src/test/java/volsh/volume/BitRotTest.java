package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.Compression;
import volsh.codec.CorruptBlockException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.transfer.Observer;
import volsh.transfer.Put;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;

/**
 * Objects of a store go bad under a volume, one at a time: whoever reads a file gets its bytes or an error, and every
 * damage is found, by reading the files or, where no file's bytes are concerned, by looking at the whole object.
 */
@Tag("volume")
@Tag("data")
final class BitRotTest {
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 10_000 : 1_000;
    private static final List<String> CODECS = List.of("none", "lz4", "zstd:3");
    private static final int[] SIZES = {20_000, 7_000, 5_000, 200_000, 64 << 10};

    @TempDir
    Path directory;

    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final BlockCodec codec = new BlockCodec();
    private Volumes volumes;

    @BeforeEach
    void home() {
        volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", directory.toString()), false), InstantSource.system(),
                Owner.ROOT);
    }

    @AfterEach
    void close() {
        codec.close();
    }

    @Test
    void damageIsFoundAndNeverHandedOut() throws Exception {
        int byReading = 0;
        for (var compression : CODECS) {
            byReading += damage(compression, ROUNDS / CODECS.size());
        }
        System.out.printf("bit rot seed %d: %d damages, %d found by reading files%n", seed, ROUNDS, byReading);
        assertThat(byReading).as("found by reading").isGreaterThan(ROUNDS / 2);
    }

    /** Damages objects of a volume in turn; returns how many of the damages a reader met. */
    private int damage(String compression, int rounds) throws Exception {
        var spec = volumes.create(VolumeDraft.named("volume-" + compression.replace(":", ""))
                .withBlockSize(ByteSize.of("64KiB")).withInline(ByteSize.of("0"))
                .withCompression(Compression.of(compression)));
        var files = fill(spec);
        var objects = objects(spec);
        int met = 0;
        try (var volume = volumes.open(spec.name(), Access.READ, "test")) {
            assertThat(errors(volume, files)).as("before any damage").isZero();
            for (int round = 0; round < rounds; round++) {
                var object = objects.get(random.nextInt(objects.size()));
                byte[] right = Files.readAllBytes(object);
                var kind = Damage.values()[round % Damage.values().length];
                byte[] wrong = kind.to(right, random);
                Files.write(object, wrong);
                boolean read = errors(volume, files) > 0;
                met += read ? 1 : 0;
                assertThat(read || isRefused(spec, object, wrong) || Arrays.equals(wrong, right))
                        .as("%s, seed %d, round %d: %s is noticed", kind, seed, round, object).isTrue();
                Files.write(object, right);
            }
            assertThat(errors(volume, files)).as("after all is mended").isZero();
        }
        return met;
    }

    private Map<String, byte[]> fill(VolumeSpec spec) throws Exception {
        var files = new LinkedHashMap<String, byte[]>();
        var source = Files.createDirectory(directory.resolve("source-" + spec.name()));
        for (int i = 0; i < SIZES.length; i++) {
            byte[] bytes = new byte[SIZES[i]];
            random.nextBytes(bytes);
            Arrays.fill(bytes, bytes.length / 4, bytes.length / 2, (byte) i);   // something to compress
            Files.write(source.resolve("f" + i), bytes);
            files.put("/tree/f" + i, bytes);
        }
        try (var volume = volumes.open(spec.name(), Access.WRITE, "test");
                var put = new Put(volume.vfs(), Optional.empty(), 2, Observer.NONE)) {
            put.add(source, Vfs.ROOT, Name.of("tree"));
            assertThat(put.finish().failed()).isZero();
        }
        return files;
    }

    private List<Path> objects(VolumeSpec spec) throws IOException {
        try (var found = Files.walk(directory)) {
            return found.filter(path -> path.toString().contains(spec.prefix() + "/blocks/"))
                    .filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Reads every file; counts those that cannot be read. Bytes that come are right. */
    private int errors(Volume volume, Map<String, byte[]> files) throws IOException {
        int errors = 0;
        for (var file : files.entrySet()) {
            var target = ByteBuffer.allocateDirect(file.getValue().length + 1);
            try (var open = volume.vfs().open(volume.paths().resolve(file.getKey()).ino())) {
                open.read(0, target);
                assertThat(target.flip()).as("seed %d, %s", seed, file.getKey())
                        .isEqualTo(ByteBuffer.wrap(file.getValue()));
            } catch (CorruptBlockException expected) {
                errors++;
            }
        }
        return errors;
    }

    private boolean isRefused(VolumeSpec spec, Path object, byte[] bytes) {
        long id = Long.parseUnsignedLong(object.getFileName().toString(), 16);
        try {
            codec.verify(new BlockIdentity(spec.id(), id), ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
            return false;
        } catch (CorruptBlockException noticed) {
            return true;
        }
    }

    private enum Damage {
        FLIP {
            @Override
            byte[] to(byte[] bytes, Random random) {
                int bit = random.nextInt(8 * bytes.length);
                byte[] flipped = bytes.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                return flipped;
            }
        },
        CUT {
            @Override
            byte[] to(byte[] bytes, Random random) {
                return Arrays.copyOf(bytes, random.nextInt(bytes.length));
            }
        },
        ZEROS {
            @Override
            byte[] to(byte[] bytes, Random random) {
                byte[] zeroed = bytes.clone();
                int from = random.nextInt(bytes.length);
                Arrays.fill(zeroed, from, Math.min(bytes.length, from + 512), (byte) 0);
                return zeroed;
            }
        };

        abstract byte[] to(byte[] bytes, Random random);
    }
}

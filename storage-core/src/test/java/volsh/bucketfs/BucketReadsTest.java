package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What other programs put into a bucket, read through a mount of it. */
@Tag("mount")
final class BucketReadsTest {
    @TempDir
    Path directory;

    private MountedBucket bucket;
    private Path root;

    @BeforeEach
    void mount() throws IOException {
        bucket = MountedBucket.of(directory, MountedBucket.asking());
        root = bucket.directory();
    }

    @AfterEach
    void unmount() throws IOException {
        bucket.close();
    }

    static List<String> names(Path directory) throws IOException {
        try (var all = Files.list(directory)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void keysArePaths() throws IOException {
        bucket.put("a", "one");
        bucket.put("d/e/f.txt", "three");
        bucket.put("d/g", "");
        assertThat(names(root)).containsExactly("a", "d");
        assertThat(names(root.resolve("d"))).containsExactly("e", "g");
        assertThat(Files.readString(root.resolve("d/e/f.txt"))).isEqualTo("three");
        assertThat(Files.size(root.resolve("d/g"))).isZero();
        assertThat(Files.isDirectory(root.resolve("d/e"))).isTrue();
        assertThatThrownBy(() -> Files.readString(root.resolve("d/none"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void largeObjectsAreReadWholeAndInPieces() throws IOException {
        byte[] bytes = random(9_000_001);
        bucket.put("big", bytes);
        assertThat(Files.readAllBytes(root.resolve("big"))).isEqualTo(bytes);
        var random = new Random(7);
        try (var file = new RandomAccessFile(root.resolve("big").toFile(), "r")) {
            for (int i = 0; i < 50; i++) {
                int at = random.nextInt(bytes.length);
                byte[] piece = new byte[1 + random.nextInt(300_000)];
                file.seek(at);
                int count = file.read(piece);
                assertThat(Arrays.mismatch(piece, 0, count, bytes, at, at + count)).isEqualTo(-1);
            }
        }
    }

    @Test
    void directoriesOfSeveralPagesAreReadOnce() throws IOException {
        var names = IntStream.range(0, 2300).mapToObj("n%05d"::formatted).toList();
        names.parallelStream().forEach(name -> {
            try {
                bucket.put("many/" + name, "");
            } catch (IOException failed) {
                throw new AssertionError(failed);
            }
        });
        assertThat(names(root.resolve("many"))).isEqualTo(names);
    }

    @Test
    void aChangedObjectIsNeverMixedWithTheOneBefore() throws IOException {
        byte[] before = random(3_000_000);
        byte[] after = random(3_000_001);
        bucket.put("x", before);
        try (var open = new RandomAccessFile(root.resolve("x").toFile(), "r")) {
            byte[] head = new byte[4096];
            open.readFully(head);
            bucket.put("x", after);
            assertThat(Files.readAllBytes(root.resolve("x"))).isEqualTo(after);
            open.seek(2_900_000);
            assertThatThrownBy(() -> open.readFully(head)).isInstanceOf(IOException.class)
                    .hasMessageContaining("Stale");
        }
        assertThat(Files.readAllBytes(root.resolve("x"))).isEqualTo(after);
    }
}

package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.Programs;
import volsh.hang.Eventually;
import volsh.unit.ByteSize;

/** What programs write through a mount of a bucket, as others find it in the bucket. */
@Tag("mount")
final class BucketWritesTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    private MountedBucket bucket;
    private Path root;

    @BeforeEach
    void mount() throws IOException {
        mount(new BucketSettings(MountedBucket.settings().ttl(), false, false, false, MountedBucket.settings().owner(),
                ByteSize.of("5MiB"), ByteSize.of("10MiB"), ByteSize.of("32MiB"), 100));
    }

    private void mount(BucketSettings settings) throws IOException {
        bucket = MountedBucket.of(directory, settings);
        root = bucket.directory();
    }

    @AfterEach
    void unmount() throws IOException {
        bucket.close();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void anObjectAppearsWhenItsFileIsClosed() throws IOException {
        byte[] bytes = random(33 * MIB + 17);
        try (var file = new RandomAccessFile(root.resolve("big").toFile(), "rw")) {
            file.write(bytes);
            assertThat(bucket.keys()).isEmpty();
            assertThat(Files.size(root.resolve("big"))).isEqualTo(bytes.length);
            assertThat(bucket.store().unfinished("")).isNotEmpty();
            file.getFD().sync();
            assertThat(bucket.keys()).as("fsync of a file that is sent in parts").isEmpty();
        }
        assertThat(bucket.get("big")).isEqualTo(bytes);
        assertThat(bucket.store().unfinished("")).isEmpty();
        assertThat(Files.readAllBytes(root.resolve("big"))).isEqualTo(bytes);
        Files.writeString(root.resolve("small"), "one");
        assertThat(bucket.get("small")).asString().isEqualTo("one");
        Files.createFile(root.resolve("empty"));
        assertThat(bucket.get("empty")).isEmpty();
    }

    @Test
    void theHeadOfALargeFileIsRewrittenAtTheEndAndItsMiddleIsNot() throws IOException {
        byte[] bytes = random(40 * MIB);
        try (var file = new RandomAccessFile(root.resolve("big").toFile(), "rw")) {
            file.write(bytes);
            file.seek(1000);
            file.write(1);
            bytes[1000] = 1;
            file.seek(39 * MIB);
            file.write(2);
            bytes[39 * MIB] = 2;
            file.seek(12 * MIB);
            assertThatThrownBy(() -> file.write(3)).hasMessageContaining("not supported");
        }
        assertThat(bucket.get("big")).isEqualTo(bytes);
    }

    @Test
    void smallFilesAreChangedAnywhereAndLargeOnesReplaced() throws IOException {
        byte[] bytes = random(9 * MIB);
        bucket.put("s", bytes);
        try (var file = new RandomAccessFile(root.resolve("s").toFile(), "rw")) {
            file.seek(7_000_000);
            file.write(9);
            file.setLength(8_000_000);
        }
        bytes[7_000_000] = 9;
        assertThat(bucket.get("s")).isEqualTo(Arrays.copyOf(bytes, 8_000_000));
        Files.writeString(root.resolve("s"), "more", StandardOpenOption.APPEND);
        assertThat(bucket.get("s")).hasSize(8_000_004);
        byte[] large = random(11 * MIB);
        bucket.put("l", large);
        assertThatThrownBy(() -> Files.writeString(root.resolve("l"), "x", StandardOpenOption.APPEND))
                .hasMessageContaining("not supported");
        assertThat(bucket.get("l")).isEqualTo(large);
        Files.writeString(root.resolve("l"), "new");
        assertThat(bucket.get("l")).asString().isEqualTo("new");
    }

    @Test
    void whoClosesSecondIsRefusedAndOverwritesNothing() throws IOException {
        bucket.put("x", "first");
        var file = new RandomAccessFile(root.resolve("x").toFile(), "rw");
        file.seek(2);
        file.write('!');
        bucket.put("x", "other");
        assertThatThrownBy(() -> {
            file.getFD().sync();
            file.close();
        }).isInstanceOf(IOException.class);
        assertThat(bucket.get("x")).asString().isEqualTo("other");
        assertThat(Files.readString(root.resolve("x"))).isEqualTo("other");
        Files.writeString(root.resolve("x"), "replaced as a whole");
        assertThat(bucket.get("x")).asString().isEqualTo("replaced as a whole");
    }

    @Test
    void aNameThatIsTakenMeanwhileIsNotReplacedByAnExclusiveFile() throws IOException {
        var file = Files.newByteChannel(root.resolve("lock"), StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE);
        bucket.put("lock", "theirs");
        assertThatThrownBy(file::close).isInstanceOf(IOException.class).hasMessageContaining("File exists");
        Eventually.holds("theirs stays", () -> Files.readString(root.resolve("lock")).equals("theirs"));
        assertThat(bucket.get("lock")).asString().isEqualTo("theirs");
        assertThatThrownBy(() -> Files.createFile(root.resolve("lock")))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void directoriesAreMarkedAndStay() throws IOException {
        Files.createDirectory(root.resolve("d"));
        assertThat(bucket.keys()).containsExactly("d/");
        Files.writeString(root.resolve("d/f"), "x");
        assertThatThrownBy(() -> Files.delete(root.resolve("d"))).isInstanceOf(IOException.class);
        Files.delete(root.resolve("d/f"));
        Files.delete(root.resolve("d"));
        assertThat(bucket.keys()).isEmpty();
        bucket.put("e/f/g", "x");
        Files.delete(root.resolve("e/f/g"));
        assertThat(root.resolve("e/f")).as("emptied by this mount").isDirectory();
        assertThat(BucketReadsTest.names(root.resolve("e"))).containsExactly("f");
    }

    @Test
    void filesAndDirectoriesAreRenamed() throws IOException {
        Files.createDirectories(root.resolve("a/b"));
        Files.writeString(root.resolve("a/b/c"), "text");
        Files.writeString(root.resolve("a/d"), "other");
        Files.move(root.resolve("a"), root.resolve("z"));
        assertThat(bucket.keys()).containsExactlyInAnyOrder("z/", "z/b/", "z/b/c", "z/d");
        assertThat(Files.readString(root.resolve("z/b/c"))).isEqualTo("text");
        Files.move(root.resolve("z/d"), root.resolve("z/b/c"),
                StandardCopyOption.REPLACE_EXISTING);
        assertThat(bucket.get("z/b/c")).asString().isEqualTo("other");
        assertThat(Files.exists(root.resolve("z/d"))).isFalse();
    }

    /** A shell passes its output on to its children, and each of them closes it. */
    @Test
    void severalProgramsWriteOneFileInTurn() throws Exception {
        var result = Programs.run(root, "sh", "-c",
                "(head -c 16777216 /dev/zero; head -c 16777216 /dev/zero; echo end) > big && cat big | wc -c");
        assertThat(result).contains("33554436");
        assertThat(bucket.store().head("big").size()).isEqualTo(33_554_436);
    }

    @Test
    void attributesAreKeptOnDemand() throws Exception {
        assertThatThrownBy(() -> {
            Files.writeString(root.resolve("f"), "x");
            Files.setAttribute(root.resolve("f"), "unix:mode", 0600);
        }).isInstanceOf(IOException.class);
        bucket.close();
        var usual = MountedBucket.settings();
        mount(new BucketSettings(usual.ttl(), false, false, true, usual.owner(), usual.part(), usual.buffer(),
                usual.readahead(), usual.renameMax()));
        Programs.run(root, "sh", "-c", "echo x > f && chmod 640 f && chown 7:8 f && touch -d @1000000000.5 f");
        var metadata = bucket.store().head("f").metadata();
        assertThat(metadata).containsEntry("mode", Integer.toString(0100640)).containsEntry("uid", "7")
                .containsEntry("gid", "8").containsEntry("mtime", "1000000000.500000000");
        assertThat(Programs.run(root, "stat", "-c", "%a %u %g %.Y", "f")).contains("640 7 8 1000000000.5");
    }
}

package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.Programs;
import volsh.hang.Eventually;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectQuery;
import volsh.object.PutCondition;
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
        var elsewhere = Files.createDirectory(directory.resolve("elsewhere")).resolve("lock");
        try (var _ = Files.newOutputStream(elsewhere)) {   // a file of this name that has nothing to do with it
            var file = Files.newByteChannel(root.resolve("lock"), StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE);
            bucket.put("lock", "theirs");
            assertThatThrownBy(file::close).isInstanceOf(IOException.class).hasMessageContaining("File exists");
        }
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

    /** The shell closes one of its descriptors before the command runs: the old object stays until the end. */
    @Test
    void aFileThatIsReplacedIsNeverEmptyInBetween() throws Exception {
        bucket.put("log", "old");
        Programs.run(root, "sh", "-c", "{ cat > /dev/null; echo new; } > log < /dev/null");
        assertThat(bucket.get("log")).asString().isEqualTo("new\n");
        long before = bucket.store().list(ObjectQuery.all("")).objects().size();
        var seen = Programs.run(directory, "bash", "-c", "exec 3> %1$s/log; exec 4>&3 3>&-; stat -c %%s %1$s/log"
                .formatted(root));
        assertThat(seen).contains("0");
        assertThat(bucket.store().list(ObjectQuery.all("")).objects()).hasSize((int) before);
        Programs.run(root, "sh", "-c", "touch empty");
        assertThat(bucket.get("empty")).isEmpty();
    }

    @Test
    void aDirectoryWithOpenFilesIsRenamed() throws IOException {
        Files.createDirectories(root.resolve("a/b"));
        Files.writeString(root.resolve("a/b/stored"), "stored");
        try (var made = new RandomAccessFile(root.resolve("a/b/made").toFile(), "rw");
                var changed = new RandomAccessFile(root.resolve("a/b/stored").toFile(), "rw")) {
            made.writeBytes("made");
            changed.writeBytes("S");
            Files.move(root.resolve("a"), root.resolve("z"));
            changed.writeBytes("T");
        }
        assertThat(bucket.keys()).containsExactlyInAnyOrder("z/", "z/b/", "z/b/made", "z/b/stored");
        assertThat(bucket.get("z/b/made")).asString().isEqualTo("made");
        assertThat(bucket.get("z/b/stored")).asString().isEqualTo("STored");
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
        Programs.run(root, "sh", "-c", "echo y >> f");
        assertThat(bucket.store().head("f").metadata()).containsEntry("mode", Integer.toString(0100640));
        assertThat(Files.getLastModifiedTime(root.resolve("f")).toInstant()).isAfter(Instant.ofEpochSecond(1600000000));
    }

    /** As cp -p does: the upload has begun long before. */
    @Test
    void attributesOfALargeFileAreKept() throws Exception {
        bucket.close();
        mount(new BucketSettings(MountedBucket.settings().ttl(), false, false, true, MountedBucket.settings().owner(),
                ByteSize.of("5MiB"), ByteSize.of("5MiB"), ByteSize.of("32MiB"), 100));
        var source = Files.write(directory.resolve("source"), random(17 * MIB));
        Programs.run(root, "sh", "-c", "chmod 604 %1$s && touch -d @1000000000.5 %1$s && cp -p %1$s big".formatted(
                source));
        assertThat(bucket.store().head("big").metadata()).containsEntry("mode", Integer.toString(0100604))
                .containsEntry("mtime", "1000000000.500000000");
        assertThat(Programs.run(root, "stat", "-c", "%a %.Y", "big")).contains("604 1000000000.5");
        assertThat(Files.mismatch(source, root.resolve("big"))).isEqualTo(-1);
    }

    @Test
    void metadataOfOthersStaysWithAFileThatIsChanged() throws IOException {
        var theirs = ObjectHeaders.of(Map.of("theirs", "1"));
        bucket.store().put("changed", ByteBuffer.wrap(new byte[3]), theirs, PutCondition.ALWAYS);
        bucket.store().put("replaced", ByteBuffer.wrap(new byte[3]), theirs, PutCondition.ALWAYS);
        assertThat(BucketReadsTest.names(root)).containsExactly("changed", "replaced");   // without their metadata
        Files.writeString(root.resolve("changed"), "x", StandardOpenOption.APPEND);
        Files.writeString(root.resolve("replaced"), "x");
        assertThat(bucket.store().head("changed").metadata()).containsEntry("theirs", "1");
        assertThat(bucket.store().head("replaced").metadata()).doesNotContainKey("theirs");
    }

    /** What a program has written is not given up for a change of names that fails, and a file may outlive its name. */
    @Test
    void filesThatAreOpenOutliveTheirNames() throws IOException {
        try (var file = new RandomAccessFile(root.resolve("x").toFile(), "rw")) {
            file.write(random(1000));
            Files.delete(root.resolve("x"));
            file.write(7);
            file.seek(999);
            assertThat(file.read()).isEqualTo(random(1000)[999] & 0xff);
            assertThat(file.read()).isEqualTo(7);
        }
        assertThat(bucket.keys()).isEmpty();
        Files.writeString(root.resolve("new"), "new");
        try (var file = new RandomAccessFile(root.resolve("old").toFile(), "rw")) {
            file.write('o');
            Files.move(root.resolve("new"), root.resolve("old"), StandardCopyOption.REPLACE_EXISTING);
            file.write('l');
        }
        assertThat(bucket.get("old")).asString().isEqualTo("new");
    }

    /** Written under one name with O_EXCL, renamed over another one before it is closed. */
    @Test
    void aFileIsRenamedOverAnotherOneBeforeItIsStored() throws IOException {
        bucket.put("target", "old");
        try (var file = Files.newByteChannel(root.resolve("temporary"), StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {'n'}));
            Files.move(root.resolve("temporary"), root.resolve("target"), StandardCopyOption.REPLACE_EXISTING);
        }
        assertThat(bucket.get("target")).asString().isEqualTo("n");
        assertThat(bucket.keys()).containsExactly("target");
    }
}

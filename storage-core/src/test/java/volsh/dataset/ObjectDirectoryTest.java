package volsh.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Refusal;
import volsh.fs.Owner;
import volsh.object.ObjectHeaders;
import volsh.object.PutCondition;
import volsh.s3test.S3Server;
import volsh.shard.Field;
import volsh.tree.NewEntry;
import volsh.tree.OpenTrees;
import volsh.tree.Place;
import volsh.tree.Places;
import volsh.tree.UploadRecords;

/** A bucket as a directory of a dataset, with objects that take several requests. */
@Tag("volume")
final class ObjectDirectoryTest {
    /** More than a part, and more than what a reader gets at once. */
    private static final int LARGE = (int) NewEntry.PART + (5 << 20);

    @TempDir
    private Path directory;
    private OpenTrees trees;
    private Place.InBucket place;
    private ObjectDirectory bucket;

    @BeforeEach
    void open() throws IOException {
        var server = S3Server.shared();
        trees = new OpenTrees(path -> {
            throw new AssertionError("no volume");
        }, Owner.ROOT, new UploadRecords(directory.resolve("uploads")));
        place = (Place.InBucket) new Places(name -> Optional.empty(),
                new TreeMap<>(Map.of("endpoint", server.endpoint(), "anonymous", "true")))
                .of("s3://" + server.newBucket() + "/top");
        bucket = new ObjectDirectory(trees, place);
    }

    @AfterEach
    void close() throws IOException {
        trees.close();
    }

    private static byte[] bytes(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private void put(String key, String text) throws IOException {
        trees.bucket(place).put(key, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), ObjectHeaders.NONE,
                PutCondition.ALWAYS);
    }

    @Test
    void largeObjectsAreSentInPartsAndReadInPieces() throws Exception {
        var content = bytes(LARGE);
        try (var file = bucket.create("a/large")) {
            file.stream().write(content, 0, 100);
            file.stream().write(content, 100, LARGE - 100);
            assertThat(bucket.size("a/large")).as("not yet").isEmpty();
            file.commit();
        }
        assertThat(bucket.size("a/large")).hasValue(LARGE);
        var found = bucket.find("a/large");
        try (var in = bucket.read("a/large", found.handle())) {
            assertThat(Arrays.mismatch(in.readAllBytes(), content)).isEqualTo(-1);
        }
        try (var open = bucket.open("a/large")) {
            var random = new Random(1);
            for (int i = 0; i < 40; i++) {
                int offset = random.nextInt(LARGE - 1000);
                var piece = ByteBuffer.allocate(1000);
                while (piece.hasRemaining()) {
                    open.read(offset + piece.position(), piece);
                }
                assertThat(piece.array()).isEqualTo(Arrays.copyOfRange(content, offset, offset + 1000));
            }
            var all = ByteBuffer.allocate(LARGE);
            while (all.hasRemaining()) {
                int end = Math.min(LARGE, all.position() + (64 << 10));
                assertThat(open.read(all.position(), all.limit(end))).isPositive();
                all.limit(LARGE);
            }
            assertThat(Arrays.mismatch(all.array(), content)).isEqualTo(-1);
            assertThat(open.read(LARGE, ByteBuffer.allocate(1))).isZero();
        }
    }

    @Test
    void whatIsNotCommittedLeavesNothing() throws Exception {
        try (var file = bucket.create("large")) {
            file.stream().write(bytes(LARGE));
        }
        assertThat(bucket.size("large")).isEmpty();
        assertThat(trees.bucket(place).unfinished("")).isEmpty();
        assertThat(directory.resolve("uploads")).isEmptyDirectory();
    }

    @Test
    void filesThatAreAnnouncedComeAhead() throws Exception {
        for (int i = 0; i < 300; i++) {
            bucket.write("f" + i, bytes(i));
        }
        for (int i = 0; i < 300; i++) {
            bucket.willRead("f" + i, i, i);
        }
        for (int i = 0; i < 300; i++) {
            try (var in = bucket.read("f" + i, i)) {
                assertThat(in.readAllBytes()).isEqualTo(bytes(i));
            }
        }
        bucket.write("f9", bytes(20));
        bucket.willRead("f9", 9, 9);
        try (var in = bucket.read("f9", 9)) {
            assertThat(in.readAllBytes()).as("a reader notices that it is longer now").hasSize(10);
        }
        bucket.willRead("none", 1, 1);
        assertThatThrownBy(() -> bucket.read("none", 1).readAllBytes()).isInstanceOf(IOException.class);
    }

    @Test
    void keysThatAreNoPathsAreSaid() throws Exception {
        for (var key : List.of("top/a/x.jpg", "top/.hidden", "top/a/.b/c", "top/d/", "topper/w",
                "w")) {
            put(key, key.endsWith("/") ? "" : "text");
        }
        var files = new ArrayList<String>();
        var unusable = new ArrayList<String>();
        bucket.walk(new DatasetDirectory.Visitor() {
            @Override
            public void file(String name, long size, long stamp, long handle) {
                files.add(name);
            }

            @Override
            public void unusable(String name, String reason) {
                unusable.add(name);
            }
        });
        assertThat(files).containsExactly("a/x.jpg");
        assertThat(unusable).isEmpty();
        for (var key : List.of("/y", "a//y", "../z", "a/./b")) {    // which this server cannot keep
            assertThat(ObjectDirectory.isPath(List.of(key.split("/", -1)))).as(key).isFalse();
        }
        assertThat(bucket.names("")).contains("a", "d");
        assertThat(bucket.names("a")).containsExactly(".b", "x.jpg");
        assertThat(bucket.names("nowhere")).isEmpty();
        assertThat(bucket.shown("a/x.jpg")).endsWith("/top/a/x.jpg").startsWith("s3://");
        assertThatThrownBy(() -> bucket.find("a")).hasMessageContaining("no such object");
    }

    @Test
    void aBatchRefusesWhatIsThere() throws Exception {
        bucket.write("f5", bytes(1));
        try (var batch = bucket.batch(false)) {
            assertThatThrownBy(() -> {
                for (int i = 0; i < 100; i++) {
                    batch.add("f" + i, Field.of("x", bytes(10)));
                }
                batch.commit();
            }).isInstanceOf(Refusal.class).hasMessageContaining("f5: exists already");
        }
        assertThat(bucket.size("f5")).hasValue(1);
        try (var batch = bucket.batch(true)) {
            for (int i = 0; i < 100; i++) {
                batch.add("f" + i, Field.of("x", bytes(10 + i)));
            }
            batch.add("large", Field.of("x", bytes(2 << 20)));
            batch.commit();
        }
        assertThat(bucket.size("f5")).hasValue(15);
        assertThat(bucket.size("f99")).hasValue(109);
        assertThat(bucket.size("large")).hasValue(2 << 20);
    }
}

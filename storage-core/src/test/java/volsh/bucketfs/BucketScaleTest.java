package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.Programs;
import volsh.hang.Eventually;
import volsh.object.MemoryObjects;
import volsh.object.ObjectHeaders;
import volsh.object.PutCondition;

/** Many keys in one directory. */
@Tag("mount")
final class BucketScaleTest {
    private static final int MANY = Boolean.getBoolean("volsh.long") ? 1_000_000 : 100_000;

    @TempDir
    Path directory;

    private final MemoryObjects store = new MemoryObjects();
    private MountedBucket bucket;

    @BeforeEach
    void mount() throws IOException {
        bucket = MountedBucket.of(directory, MountedBucket.settings(), store);
    }

    @AfterEach
    void unmount() throws IOException {
        bucket.close();
    }

    private void fill(String prefix, int count) throws IOException {
        var nothing = ByteBuffer.allocate(0);
        for (int i = 0; i < count; i++) {
            store.put(prefix + "%07d".formatted(i), nothing, ObjectHeaders.NONE, PutCondition.ALWAYS);
        }
    }

    /** A page of the listing each, and nothing else; one file of them all without listing. */
    @Test
    void aHugeDirectoryIsStreamed() throws IOException {
        fill("d/", MANY);
        bucket.put("d/last", "found");
        long before = store.requests();
        assertThat(Files.readString(bucket.directory().resolve("d/last"))).isEqualTo("found");
        assertThat(store.requests() - before).as("requests for one file").isLessThan(10);
        before = store.requests();
        try (var names = Files.list(bucket.directory().resolve("d"))) {
            assertThat(names.map(Path::getFileName).distinct().count()).isEqualTo(MANY + 1L);
        }
        assertThat(store.requests() - before).as("requests for the listing").isLessThan(MANY / 1000 + 10);
    }

    /** After a few names the directory is listed: then each file costs one request. */
    @Test
    void manyNamesOfADirectoryAreLookedUpByAListing() throws IOException {
        for (int i = 0; i < 300; i++) {
            bucket.put("d/" + i, "text");
        }
        var root = bucket.directory().resolve("d");
        for (int i = 0; i < 10; i++) {
            assertThat(Files.readString(root.resolve(Integer.toString(i)))).isEqualTo("text");
        }
        Eventually.holds("the directory is listed", () -> bucket.files().names().listing("d/") != null);
        long before = store.requests();
        for (int i = 10; i < 300; i++) {
            assertThat(Files.readString(root.resolve(Integer.toString(i)))).isEqualTo("text");
        }
        assertThat(store.requests() - before).isLessThanOrEqualTo(290);
    }

    /** Beyond a number of nodes listings come without attributes, and every name is still found. */
    @Test
    void namesAreFoundWhenTheTableOfNodesIsFull() throws Exception {
        fill("d/", 1_200);
        bucket.files().nodes().limit(100);
        var root = bucket.directory().resolve("d");
        assertThat(Programs.shell(root, "ls -l | grep -c -- -rw").strip()).isEqualTo("1200");
        Files.createDirectory(root.resolve("new"));
        Files.writeString(root.resolve("new/file"), "text");
        assertThat(Files.readString(root.resolve("new/file"))).isEqualTo("text");
    }

    @Test
    void directoriesAreRenamedUpToALimit() throws IOException {
        var root = bucket.directory();
        fill("d/", 10_000);
        Files.move(root.resolve("d"), root.resolve("e"));
        assertThat(bucket.keys()).hasSize(10_000).allMatch(key -> key.startsWith("e/"));
        store.put("e/one-more", ByteBuffer.allocate(0), ObjectHeaders.NONE, PutCondition.ALWAYS);
        assertThatThrownBy(() -> Files.move(root.resolve("e"), root.resolve("f"))).isInstanceOf(IOException.class);
        assertThat(bucket.keys()).hasSize(10_001).allMatch(key -> key.startsWith("e/"));
    }
}

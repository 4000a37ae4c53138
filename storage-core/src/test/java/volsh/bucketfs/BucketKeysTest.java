package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.object.MemoryObjects;

/** Keys that are no file names, in a bucket that keeps any keys. */
@Tag("mount")
final class BucketKeysTest {
    @TempDir
    Path directory;

    private MountedBucket bucket;
    private Path root;

    @BeforeEach
    void mount() throws IOException {
        bucket = MountedBucket.of(directory, MountedBucket.asking(), new MemoryObjects());
        root = bucket.directory();
    }

    @AfterEach
    void unmount() throws IOException {
        bucket.close();
    }

    @Test
    void keysThatAreNoPathsAreShownToo() throws IOException {
        String longName = "é".repeat(200);
        var keys = List.of("a", "a/b", "c//d", "c/./e", "c/../f", "m/", "n/", longName + "/x", "p:key", "q:object",
                "a-b", ":empty", "c/", "line\nbreak", "dir/" + longName + "1", "dir/" + longName + "2");
        for (String key : keys) {
            bucket.put(key, key.equals("m/") ? "" : key);
        }
        assertThat(BucketReadsTest.names(root)).contains("a", "a:object", "a-b", "p:key:key", "q:object:key",
                ":empty:key", "m", "n", "line\nbreak");
        assertThat(Files.readString(root.resolve("a:object"))).isEqualTo("a");
        assertThat(Files.readString(root.resolve("a/b"))).isEqualTo("a/b");
        assertThat(Files.readString(root.resolve("c/:empty/d"))).isEqualTo("c//d");
        assertThat(Files.readString(root.resolve("c/:dot/e"))).isEqualTo("c/./e");
        assertThat(Files.readString(root.resolve("c/:dotdot/f"))).isEqualTo("c/../f");
        assertThat(Files.readString(root.resolve("n/:empty"))).isEqualTo("n/");
        assertThat(BucketReadsTest.names(root.resolve("m"))).isEmpty();
        assertThat(contents()).containsExactlyInAnyOrderElementsOf(
                keys.stream().filter(key -> !key.equals("m/")).toList());
    }

    /** Of every file below the mount: what was put is its key. */
    private List<String> contents() throws IOException {
        try (var all = Files.walk(root)) {
            return all.filter(Files::isRegularFile).map(path -> {
                try {
                    return Files.readString(path);
                } catch (IOException failed) {
                    throw new AssertionError("cannot read " + path, failed);
                }
            }).toList();
        }
    }
}

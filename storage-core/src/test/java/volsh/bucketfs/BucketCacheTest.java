package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.cache.disk.CacheDirectory;
import volsh.cache.disk.CacheSpace;
import volsh.disk.OsDisk;
import volsh.object.MemoryObjects;
import volsh.object.ObjectHeaders;
import volsh.object.PutCondition;

/** The cache directory of a mount of a bucket: across remounts, damaged, full, and after the object has changed. */
@Tag("mount")
@Tag("data")
final class BucketCacheTest {
    private static final int SIZE = 9_000_123;

    @TempDir
    Path directory;

    private final MemoryObjects store = new MemoryObjects();
    private final byte[] bytes = new byte[SIZE];

    private byte[] readThrough(long quota) throws IOException {
        var disk = new CacheDirectory(new OsDisk(), directory.resolve("cache"),
                new CacheSpace(quota, 0, () -> Long.MAX_VALUE), Runnable::run);
        var objects = new MountedObjects(store, "");
        try (var bucket = MountedBucket.of(directory, MountedBucket.asking(), objects, objects, disk)) {
            byte[] found = Files.readAllBytes(bucket.directory().resolve("x"));
            got = objects.traffic().gotBytes();
            damaged = disk.usage().getFirst().damaged();
            return found;
        }
    }

    private long got;
    private long damaged;

    private void fill(int seed) throws IOException {
        new SplittableRandom(seed).nextBytes(bytes);
        store.put("x", ByteBuffer.wrap(bytes), ObjectHeaders.NONE,
                PutCondition.ALWAYS);
    }

    @Test
    void theNextMountReadsFromTheDisk() throws IOException {
        fill(1);
        assertThat(readThrough(1 << 30)).isEqualTo(bytes);
        assertThat(got).isEqualTo(SIZE);
        assertThat(readThrough(1 << 30)).isEqualTo(bytes);
        assertThat(got).as("bytes from the bucket").isZero();
        fill(2);
        assertThat(readThrough(1 << 30)).as("changed in the bucket").isEqualTo(bytes);
        assertThat(got).isEqualTo(SIZE);
    }

    @Test
    void damagedFilesAreDetected() throws IOException {
        fill(1);
        assertThat(readThrough(1 << 30)).isEqualTo(bytes);
        for (var file : blockFiles()) {
            try (var channel = Files.newByteChannel(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                channel.position(channel.size() / 2);
                channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}));
            }
        }
        assertThat(readThrough(1 << 30)).isEqualTo(bytes);
        assertThat(damaged).isPositive();
        assertThat(got).isPositive();
    }

    @Test
    void aCacheThatIsFullIsBypassed() throws IOException {
        fill(1);
        assertThat(readThrough(100_000)).isEqualTo(bytes);
        assertThat(readThrough(100_000)).isEqualTo(bytes);
    }

    private List<Path> blockFiles() throws IOException {
        try (var all = Files.walk(directory.resolve("cache"))) {
            return all.filter(file -> Files.isRegularFile(file) && file.toFile().length() > 1000).toList();
        }
    }
}

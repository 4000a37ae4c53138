package volsh.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.cache.disk.TierFixture.FRAMES;
import static volsh.cache.disk.TierFixture.offer;
import static volsh.cache.disk.TierFixture.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.disk.OsDisk;

/**
 * A directory with many blocks is open at once, whatever it holds; with {@code volsh.long} a million. Prints how long
 * things take.
 */
final class ManyBlocksTest {
    private static final int BLOCKS = Boolean.getBoolean("volsh.long") ? 1_000_000 : 3_000;
    private static final int SHELVES = 256;

    @TempDir
    Path directory;

    @Test
    void opensAtOnce() throws Exception {
        var root = directory.resolve("cache/volume");
        try (var tier = new TierFixture(new OsDisk(), root).open(TierFixture.room(1L << 40))) {
            offer(tier, 7, 0, FRAMES);
        }
        fill(root);
        var room = TierFixture.room(1L << 40);
        long before = System.nanoTime();
        var writer = Executors.newSingleThreadExecutor();
        try (var tier = new CacheDirectory(new OsDisk(), root, room, writer)) {
            long opened = System.nanoTime();
            assertThat(read(tier, 7, 0, FRAMES)).isEqualTo(FRAMES);
            long hit = System.nanoTime();
            offer(tier, BLOCKS + 1000L, 0, FRAMES);   // waits for the listing
            writer.submit(() -> { }).get();
            long listed = System.nanoTime();
            System.out.printf("%d blocks: open after %.1f ms, first hit after %.1f ms, all listed after %.0f ms%n",
                    BLOCKS, (opened - before) / 1e6, (hit - before) / 1e6, (listed - before) / 1e6);
            assertThat(tier.usage().getFirst().blocks()).isEqualTo(BLOCKS + 2L);
            assertThat(read(tier, BLOCKS + 1000L, 0, FRAMES)).isEqualTo(FRAMES);
        } finally {
            writer.shutdown();
        }
    }

    /** Empty files do: a listing looks at names and lengths. */
    private static void fill(Path root) throws IOException {
        for (int shelf = 0; shelf < SHELVES; shelf++) {
            Files.createDirectories(root.resolve(HexFormat.of().toHexDigits((byte) shelf)));
        }
        IntStream.range(0, BLOCKS).parallel().forEach(i -> {
            var name = HexFormat.of().toHexDigits(i + 100L);
            try {
                Files.createFile(root.resolve(name.substring(14)).resolve(name));
            } catch (IOException failed) {
                throw new IllegalStateException(failed);
            }
        });
    }
}

package volsh.dataset.shards;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.dataset.LocalDirectory;
import volsh.meta.ChildJvm;

/** A pack that is killed at any moment goes on to the same bytes, and no reader sees half of a shard. */
@Tag("crash")
@Tag("data")
final class KilledPackTest {
    private static final int KILLS = Boolean.getBoolean("volsh.long") ? 20 : 2;
    private static final int CLASSES = 20;
    private static final int EACH = 50;

    @TempDir
    Path directory;

    /** Packs, and prints a line before each sample. */
    public static final class PackProgram {
        public static void main(String[] words) throws IOException {
            var count = new AtomicLong();
            new Corpus(Path.of(words[0])).samples(40).packing(new LocalDirectory(Path.of(words[1]))).run(
                    new PackObserver() {
                        @Override
                        public void packed(long bytes) {}

                        @Override
                        public void check() {
                            System.out.println(count.incrementAndGet());
                        }
                    });
        }
    }

    @Test
    void goesOnAfterKills() throws Exception {
        var images = Corpus.imageFolder(directory.resolve("images"), CLASSES, EACH).root;
        new Corpus(images).samples(40).pack(directory.resolve("whole"));
        var target = directory.resolve("target");
        var temporary = Files.createDirectory(directory.resolve("tmp"));
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int kill = 0; kill < KILLS; kill++) {
            long moment = 1 + random.nextInt(CLASSES * EACH / KILLS);
            try (var child = ChildJvm.start(temporary, PackProgram.class, images, target)) {
                for (var line = child.line(); line != null && Long.parseLong(line) < moment; line = child.line()) {
                    // until the moment comes
                }
                child.kill();
            }
            for (var verdict : new ShardCheck(volsh.shard.FormatOptions.DEFAULT, Corpus.NOBODY)
                    .checkAll(Corpus.shards(target), 1)) {
                assertThat(verdict.problems()).as("seed %d, kill %d", seed, kill).isEmpty();
            }
        }
        new Corpus(images).samples(40).pack(target);
        assertThat(Corpus.tree(target)).as("seed %d", seed).isEqualTo(Corpus.tree(directory.resolve("whole")));
    }
}

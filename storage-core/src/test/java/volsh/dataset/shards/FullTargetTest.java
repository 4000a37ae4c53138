package volsh.dataset.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.dataset.LocalDirectory;
import volsh.fs.NoSpaceException;
import volsh.shard.FormatOptions;

@Tag("data")
final class FullTargetTest {
    @TempDir
    Path directory;

    /** The temporary name of the second shard leads to a device that is always full. */
    @Test
    void aFullDiskIsNamedAndLeavesWholeShardsOnly() throws Exception {
        var corpus = Corpus.imageFolder(directory.resolve("images"), 5, 9).threads(1);
        var target = directory.resolve("shards");
        var packing = corpus.packing(new LocalDirectory(target));
        assertThatThrownBy(() -> packing.run(new PackObserver() {
            @Override
            public void packed(long bytes) {}

            @Override
            public void check() {
                var second = target.resolve(LocalDirectory.WORK).resolve("shard-000001.tar");
                try {
                    Files.createSymbolicLink(second, Path.of("/dev/full"));
                } catch (FileAlreadyExistsException there) {
                    // made before the first sample
                } catch (IOException failed) {
                    throw new UncheckedIOException(failed);
                }
            }
        })).matches(NoSpaceException::isBehind)
                .hasMessageContaining("shard-000001.tar");
        assertThat(target.resolve("shard-000001.tar")).doesNotExist();
        assertThat(target.resolve("dataset.json")).doesNotExist();
        assertThat(corpus.pack(target).resumed()).isEqualTo(1);
        assertThat(new ShardCheck(FormatOptions.DEFAULT, Corpus.NOBODY).checkAll(Corpus.shards(target), 1))
                .hasSize(7).allMatch(ShardCheck.Verdict::good);
    }
}

package volsh.dataset.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Refusal;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.LocalDirectory;
import volsh.shard.Field;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.ShardFormat;
import volsh.shard.format.Formats;

/** Files that are unpacked appear whole, over what is there already only if asked. */
@Tag("data")
final class UnpackingTest {
    @TempDir
    Path directory;
    private Path images;
    private Path shards;
    private Path files;

    @BeforeEach
    void pack() throws IOException {
        images = Corpus.imageFolder(directory.resolve("images"), 4, 10).root;
        shards = directory.resolve("shards");
        files = directory.resolve("files");
        new Corpus(images).samples(7).pack(shards);
    }

    private Unpacking.Unpacked unpack(boolean replace, int threads, PackObserver observer) throws IOException {
        return new Unpacking(new LocalDirectory(files), Set.of("JPEG"), replace, FormatOptions.DEFAULT, observer)
                .run(Corpus.shards(shards), threads);
    }

    /** The shards are shuffled: every one has files of every directory. */
    @Test
    void shardsThatShareDirectoriesAreMerged() throws IOException {
        assertThat(unpack(false, 4, Corpus.NOBODY).files()).isEqualTo(40);
        assertThat(Corpus.tree(files)).isEqualTo(Corpus.tree(images));
        assertThat(files.resolve(DatasetDirectory.WORK)).doesNotExist();
    }

    @Test
    void whatIsThereStaysUnlessItIsToBeReplaced() throws IOException {
        Files.createDirectories(files.resolve("class02"));
        Files.writeString(files.resolve("class02/im003.JPEG"), "mine");
        Files.writeString(files.resolve("class02/other"), "other");
        assertThatThrownBy(() -> unpack(false, 1, Corpus.NOBODY)).isInstanceOf(Refusal.class)
                .hasMessageContaining("class02/im003.JPEG: exists already");
        assertThat(files.resolve("class02/im003.JPEG")).hasContent("mine");
        assertThat(files.resolve(DatasetDirectory.WORK)).doesNotExist();
        unpack(true, 2, Corpus.NOBODY);
        assertThat(files.resolve("class02/other")).hasContent("other");
        Files.delete(files.resolve("class02/other"));
        assertThat(Corpus.tree(files)).isEqualTo(Corpus.tree(images));
    }

    @Test
    void aFileInPlaceOfADirectoryIsNamed() throws IOException {
        Files.createDirectories(files);
        Files.writeString(files.resolve("class01"), "a file");
        assertThatThrownBy(() -> unpack(true, 1, Corpus.NOBODY)).isInstanceOf(IOException.class)
                .hasMessageContaining("class01");
        assertThat(files.resolve("class01")).hasContent("a file");
    }

    /** A process that was killed left files behind; another one that runs is left alone. */
    @Test
    void abandonedFilesAreRemoved() throws IOException {
        var work = files.resolve(DatasetDirectory.WORK);
        var dead = Files.createDirectories(work.resolve("unpack-999999999-1/class00"));
        var alive = Files.createDirectories(work.resolve("unpack-" + ProcessHandle.current().pid() + "-x"));
        Files.writeString(dead.resolve("im000.JPEG"), "half");
        unpack(false, 1, Corpus.NOBODY);
        assertThat(dead.getParent()).doesNotExist();
        assertThat(alive).exists();
    }

    @Test
    void aFailureMidwayLeavesNoHalfBatch() throws IOException {
        var broken = new PackObserver() {
            private int count;

            @Override
            public void packed(long bytes) {
                if (++count == 5) {
                    throw new IllegalStateException("cancelled");
                }
            }

            @Override
            public void check() {}
        };
        assertThatThrownBy(() -> unpack(false, 1, broken)).hasMessage("cancelled");
        assertThat(Corpus.tree(files)).isEmpty();
        unpack(false, 1, Corpus.NOBODY);
        assertThat(Corpus.tree(files)).isEqualTo(Corpus.tree(images));
    }

    /** In one directory, so that a batch finds that of the one before. */
    @Test
    void moreFilesThanABatch() throws IOException {
        int count = 2100;
        var many = Files.createDirectories(directory.resolve("many"));
        try (var out = Files.newOutputStream(many.resolve("a.tar"))) {
            var writer = Formats.writer(ShardFormat.WEBDATASET, FormatOptions.DEFAULT, out);
            for (int i = 0; i < count; i++) {
                writer.add(new Sample("one/s" + i, List.of(Field.of("txt", new byte[] {(byte) i}))));
            }
            writer.finish();
        }
        new Unpacking(new LocalDirectory(files), Set.of(), false, FormatOptions.DEFAULT, Corpus.NOBODY)
                .run(Corpus.shards(many), 1);
        try (var unpacked = Files.list(files.resolve("one"))) {
            assertThat(unpacked.count()).isEqualTo(count);
        }
        assertThat(files.resolve("one/s2099.txt")).hasBinaryContent(new byte[] {(byte) 2099});
    }

    /** They have numbers instead, which begin anew in each shard. */
    @Test
    void samplesWithoutKeysOfSeveralShardsDoNotMeet() throws IOException {
        var texts = Files.createDirectories(directory.resolve("texts"));
        for (int i = 0; i < 9; i++) {
            Files.writeString(texts.resolve("t" + i + ".txt"), "%d %d".formatted(i, i + 1));
        }
        var tokens = directory.resolve("tokens");
        new Corpus(texts).format(ShardFormat.TOKENS).samples(3).pack(tokens);
        for (var verdict : new ShardCheck(FormatOptions.DEFAULT, Corpus.NOBODY).checkAll(Corpus.shards(tokens), 2)) {
            assertThat(verdict.problems()).as("three texts are one sequence").isEmpty();
        }
        new Unpacking(new LocalDirectory(files), Set.of(), false, FormatOptions.DEFAULT, Corpus.NOBODY)
                .run(Corpus.shards(tokens), 2);
        assertThat(Corpus.tree(files)).containsOnlyKeys("shard-000000/00000000.u16", "shard-000001/00000000.u16",
                "shard-000002/00000000.u16");
        assertThat(Files.size(files.resolve("shard-000001/00000000.u16"))).isEqualTo(4096);
    }
}

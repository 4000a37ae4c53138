package volsh.dataset.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.catalog.Refusal;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.LocalDirectory;
import volsh.shard.FormatOptions;
import volsh.shard.ShardFormat;

@Tag("data")
final class DatasetPackingTest {
    @TempDir
    Path directory;

    private Corpus corpus() throws IOException {
        return Corpus.imageFolder(directory.resolve("images"), 5, 9);
    }

    private Path target(String name) {
        return directory.resolve(name);
    }

    @Test
    void theSameBytesWithAnyNumberOfThreads() throws IOException {
        corpus().threads(1).split("train", 0.8).split("val", 0.2).pack(target("one"));
        corpus().threads(5).split("train", 0.8).split("val", 0.2).pack(target("many"));
        assertThat(Corpus.tree(target("many"))).isEqualTo(Corpus.tree(target("one"))).hasSize(2 + 8 * 2);
        assertThat(Corpus.tree(target("one"))).containsKeys("train-000005.tar", "train-000005.tar.idx",
                "val-000001.tar", "classes.json", "dataset.json");
    }

    @ParameterizedTest
    @EnumSource(value = ShardFormat.class, names = {"WEBDATASET", "TFRECORD", "MDS", "RECORDS"})
    void whatIsPackedIsVerifiedAndUnpacked(ShardFormat format) throws IOException {
        var packed = corpus().format(format).split("train", 0.8).split("val", 0.2).pack(target("shards"));
        assertThat(packed.samples()).isEqualTo(45);
        var shards = Corpus.shards(target("shards"));
        for (var verdict : new ShardCheck(FormatOptions.DEFAULT, Corpus.NOBODY).checkAll(shards, 2)) {
            assertThat(verdict.problems()).as(verdict.shard().shown()).isEmpty();
        }
        new Unpacking(new LocalDirectory(target("files")), Set.of("JPEG"), false, FormatOptions.DEFAULT, Corpus.NOBODY)
                .run(shards, 2);
        assertThat(Corpus.tree(target("files"))).isEqualTo(Corpus.tree(directory.resolve("images")));
    }

    /** As a user in the directory of the shards writes it. */
    @Test
    void aRelativeTargetWorks() throws IOException {
        var relative = Path.of("").toAbsolutePath().relativize(target("shards"));
        assertThat(corpus().pack(relative.resolve(".")).samples()).isEqualTo(45);
        assertThat(Corpus.shards(target("shards"))).hasSize(7);
    }

    @Test
    void classesAreNumberedInOrder() throws IOException {
        corpus().pack(target("shards"));
        assertThat(Files.readString(target("shards").resolve("classes.json"))).contains("\"class03\" : 3");
        var shard = Corpus.shards(target("shards")).getFirst();
        try (var open = shard.open(FormatOptions.DEFAULT)) {
            var sample = open.reader().next();
            var label = sample.fields().getLast();
            assertThat(label.name()).isEqualTo("cls");
            assertThat("class%02d".formatted(Integer.parseInt(
                    new String(label.open().readAllBytes(), StandardCharsets.UTF_8)))).isEqualTo(
                            sample.key().substring(0, 7));
        }
    }

    /** Maps that are equal may list their entries in another order in each process. */
    @Test
    void settingsAreTheSameTextInEveryProcess() {
        assertThat(FormatOptions.DEFAULT.withEncodings(Map.of("b", "x", "a", "y", "c", "z", "d", "v")).identity())
                .endsWith("{a=y, b=x, c=z, d=v}");
    }

    @Test
    void goesOnWhereItStopped() throws IOException {
        corpus().pack(target("whole"));
        for (int stop = 1; stop < 45; stop += 6) {
            var left = new AtomicInteger(stop);
            var part = target("part" + stop);
            assertThatThrownBy(() -> corpus().packing(new LocalDirectory(part)).run(new PackObserver() {
                @Override
                public void packed(long bytes) {}

                @Override
                public void check() {
                    if (left.getAndDecrement() <= 0) {
                        throw new CancellationException();
                    }
                }
            })).isInstanceOf(CancellationException.class);
            assertThat(part.resolve("dataset.json")).doesNotExist();
            var shards = Corpus.shards(part);
            var resumed = corpus().pack(part);
            assertThat(resumed.resumed()).isEqualTo(shards.size());
            assertThat(Corpus.tree(part)).isEqualTo(Corpus.tree(target("whole")));
        }
        assertThat(corpus().pack(target("whole")).resumed()).isEqualTo(7);
    }

    /** What was finished before the power failed may lack bytes that a disk promised: it is read first. */
    @Test
    void afterAPowerFailureFinishedShardsAreReadAgain() throws IOException {
        corpus().pack(target("whole"));
        var shards = target("shards");
        var left = new AtomicInteger(30);
        assertThatThrownBy(() -> corpus().threads(1).packing(new LocalDirectory(shards)).run(new PackObserver() {
            @Override
            public void packed(long bytes) {}

            @Override
            public void check() {
                if (left.getAndDecrement() <= 0) {
                    throw new CancellationException();
                }
            }
        })).isInstanceOf(CancellationException.class);
        var damaged = Files.readAllBytes(shards.resolve("shard-000001.tar"));
        Arrays.fill(damaged, damaged.length / 2, damaged.length, (byte) 0);
        Files.write(shards.resolve("shard-000001.tar"), damaged);
        var state = shards.resolve(DatasetDirectory.WORK).resolve("state.json");
        Files.writeString(state, Files.readString(state).replaceFirst("(\"boot\" : \")[^\"]*", "$1before"));
        assertThat(corpus().pack(shards).resumed()).isEqualTo(3);
        assertThat(Corpus.tree(shards)).isEqualTo(Corpus.tree(target("whole")));
    }

    @Test
    void aChangedSourceIsNotMixedIn() throws IOException {
        var observer = new PackObserver() {
            private final AtomicInteger left = new AtomicInteger(20);

            @Override
            public void packed(long bytes) {}

            @Override
            public void check() {
                if (left.getAndDecrement() <= 0) {
                    throw new CancellationException();
                }
            }
        };
        var corpus = corpus();
        assertThatThrownBy(() -> corpus.packing(new LocalDirectory(target("shards"))).run(observer))
                .isInstanceOf(CancellationException.class);
        Files.writeString(directory.resolve("images/class00/new.JPEG"), "new");
        assertThatThrownBy(() -> corpus.pack(target("shards"))).isInstanceOf(Refusal.class)
                .hasMessageContaining("the source has changed");
        assertThat(corpus.replacing().pack(target("shards")).samples()).isEqualTo(46);
        assertThat(target("shards").resolve(DatasetDirectory.WORK)).doesNotExist();
    }

    @Test
    void anotherDatasetIsNotReplaced() throws IOException {
        corpus().pack(target("shards"));
        assertThatThrownBy(() -> corpus().samples(8).pack(target("shards"))).isInstanceOf(Refusal.class)
                .hasMessageContaining("exists already");
        assertThat(corpus().samples(8).replacing().pack(target("shards")).shards()).hasSize(6);
        assertThat(Corpus.shards(target("shards"))).hasSize(6);
    }

    @Test
    void badSamplesAreLeftOutAndCounted() throws IOException {
        var corpus = corpus();
        Files.createFile(corpus.root.resolve("class00/empty.JPEG"));
        Files.writeString(corpus.root.resolve("class01/im000.jpeg"), "another im000 for those who ignore case");
        Files.writeString(corpus.root.resolve("class02/README"), "no extension");
        Files.writeString(corpus.root.resolve("class03/" + "x".repeat(200) + ".JPEG"), "fits");
        var table = corpus.table();
        Files.delete(corpus.root.resolve("class04/im003.JPEG"));
        Files.writeString(corpus.root.resolve("class04/im004.JPEG"), "not as it was");
        var packed = corpus.packing(table, new LocalDirectory(target("shards"))).run(Corpus.NOBODY);
        assertThat(packed.samples()).isEqualTo(44);
        assertThat(corpus.bad.reasons()).containsOnlyKeys("empty", "duplicate key", "without an extension",
                "cannot be read", "changed while it was packed");
        assertThat(corpus.bad.count()).isEqualTo(5);
        assertThatThrownBy(() -> corpus.strict().packing(table, new LocalDirectory(target("strict")))
                .run(Corpus.NOBODY)).hasMessageContaining("class04/im00");
    }

    /** Files too large to be read before they are written: the shard is begun again without them. */
    @Test
    void aLargeFileThatChangesCostsOnlyItsSample() throws IOException {
        var corpus = corpus();
        Files.write(corpus.root.resolve("class02/large.JPEG"), new byte[5 << 20]);
        var table = corpus.table();
        Files.write(corpus.root.resolve("class02/large.JPEG"), new byte[3 << 20]);
        assertThat(corpus.packing(table, new LocalDirectory(target("shards"))).run(Corpus.NOBODY).samples())
                .isEqualTo(45);
        for (var verdict : new ShardCheck(FormatOptions.DEFAULT, Corpus.NOBODY)
                .checkAll(Corpus.shards(target("shards")), 1)) {
            assertThat(verdict.problems()).isEmpty();
        }
    }

    @Test
    void shardsDivideAmongReaders() throws IOException {
        var plan = corpus().readers(4).packing(new LocalDirectory(target("none"))).plan();
        assertThat(plan.shards()).hasSize(8);   // 7 would do for 45 samples
        assertThat(plan.shards()).allSatisfy(shard -> assertThat(shard.samples()).isBetween(5, 6));
        assertThat(corpus().readers(46).packing(new LocalDirectory(target("none"))).plan().shards())
                .as("fewer samples than readers").hasSize(7);
    }

    @Test
    void splitsTakeEverySampleOnce() throws IOException {
        var plan = corpus().split("a", 0.5).split("b", 0.3).split("c", 0.1)
                .packing(new LocalDirectory(target("none"))).plan();
        assertThat(plan.sequence()).doesNotHaveDuplicates().hasSize(45);
        assertThat(List.of("a", "b", "c").stream().map(split -> plan.of(split).stream()
                .mapToInt(shard -> shard.samples()).sum())).containsExactly(23, 13, 5);
        assertThat(plan.left()).isEqualTo(4);
    }
}

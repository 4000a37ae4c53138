package volsh.dataset.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.catalog.Refusal;
import volsh.dataset.LocalDirectory;
import volsh.shard.FormatOptions;
import volsh.shard.ShardFormat;

@Tag("data")
final class ShardCheckTest {
    private static final int FLIPS = Boolean.getBoolean("volsh.long") ? 2000 : 40;

    @TempDir
    Path directory;

    private Path shards;

    @BeforeEach
    void prepare() {
        shards = directory.resolve("shards");
    }

    private Path pack(ShardFormat format) throws IOException {
        var packed = Corpus.imageFolder(directory.resolve("images"), 3, 4).format(format).samples(100).pack(shards);
        return shards.resolve(packed.shards().getFirst().name());
    }

    private ShardCheck.Verdict verdict() throws IOException {
        return new ShardCheck(FormatOptions.DEFAULT, Corpus.NOBODY).check(Corpus.shards(shards).getFirst());
    }

    @ParameterizedTest
    @EnumSource(value = ShardFormat.class, names = {"WEBDATASET", "TFRECORD", "MDS", "RECORDS"})
    void everyFlippedBitIsFound(ShardFormat format) throws IOException {
        var shard = pack(format);
        var whole = Files.readAllBytes(shard);
        assertThat(verdict().problems()).isEmpty();
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int i = 0; i < FLIPS; i++) {
            var damaged = whole.clone();
            int at = random.nextInt(format == ShardFormat.WEBDATASET ? whole.length - 1024 : whole.length);
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(shard, damaged);
            assertThat(verdict().good()).as("seed %d, byte %d", seed, at).isFalse();
        }
    }

    @Test
    void namesTheSampleAndItsOffset() throws IOException {
        var shard = pack(ShardFormat.WEBDATASET);
        var bytes = Files.readAllBytes(shard);
        var third = Corpus.shards(shards).getFirst().index().orElseThrow().entries().get(2).position();
        bytes[(int) third.fields().getFirst().offset()] ^= 1;
        Files.write(shard, bytes);
        assertThat(verdict().problems()).singleElement().satisfies(problem -> {
            assertThat(problem.offset()).isEqualTo(third.offset());
            assertThat(problem.text()).contains(third.key());
        });
    }

    @ParameterizedTest
    @EnumSource(value = ShardFormat.class, names = {"WEBDATASET", "TFRECORD", "MDS", "RECORDS"})
    void aShardThatWasCutIsFound(ShardFormat format) throws IOException {
        var shard = pack(format);
        var whole = Files.readAllBytes(shard);
        for (int length : new int[] {0, 1, 511, whole.length / 2, whole.length - 1025, whole.length - 1}) {
            Files.write(shard, java.util.Arrays.copyOf(whole, length));
            assertThat(verdict().good()).as("%s of %d bytes", format, length).isFalse();
        }
    }

    @Test
    void anIndexThatLiesIsFound() throws IOException {
        var shard = pack(ShardFormat.WEBDATASET);
        var index = Path.of(shard + ".idx");
        var text = Files.readString(index);
        for (var lie : List.of(text.replaceFirst("v1.2 12", "v1.2 11"), text.replaceFirst("im000", "im999"),
                text.replaceFirst("# 0 ", "# 512 "), text.replaceFirst("(?m)[0-9a-f]{8}$", "00000000"), "nonsense",
                "v1.2 2000000000\n", "")) {
            Files.writeString(index, lie);
            assertThat(verdict().good()).as(lie.lines().findFirst().orElse("empty")).isFalse();
        }
        Files.writeString(index, text);
        assertThat(verdict().good()).isTrue();
    }

    @Test
    void anIndexOfAForeignArchiveIsWritten() throws Exception {
        var images = Corpus.imageFolder(directory.resolve("images"), 2, 3).root;
        Files.createDirectories(shards);
        run(images, "tar", "cf", shards.resolve("a.tar").toString(), ".");
        var shard = Corpus.shards(shards).getFirst();
        assertThat(new Indexing(FormatOptions.DEFAULT, Corpus.NOBODY).index(shard)).isEqualTo(6);
        assertThat(verdict().good()).isTrue();
        try (var open = shard.open(FormatOptions.DEFAULT)) {
            var key = shard.index().orElseThrow().entries().get(4).position().key();
            var found = new SampleFinder(shard, open).find(key, () -> {}).orElseThrow();
            assertThat(found.fields().getFirst().open().readAllBytes())
                    .isEqualTo(Files.readAllBytes(images.resolve(key + ".JPEG")));
        }
    }

    @Test
    void namesThatLeadOutAreNotUnpacked() throws Exception {
        var images = Corpus.imageFolder(directory.resolve("images"), 1, 1).root;
        Files.createSymbolicLink(images.resolve("class00/link.JPEG"), Path.of("/etc/passwd"));
        Files.createDirectories(shards);
        var archive = shards.resolve("a.tar").toString();
        var files = directory.resolve("files");
        for (var words : List.of(
                List.of("tar", "-P", "--transform", "s,^,../,", "-cf", archive, "class00/im000.JPEG"),
                List.of("tar", "-P", "--transform", "s,^,a/../../,", "-cf", archive, "class00/im000.JPEG"),
                List.of("tar", "-P", "--transform", "s,^,/tmp/,", "-cf", archive, "class00/im000.JPEG"),
                List.of("tar", "-cf", archive, "class00/link.JPEG"),
                List.of("tar", "-P", "-cf", archive, "/dev/null"))) {
            run(images, words.toArray(String[]::new));
            assertThatThrownBy(() -> unpack(files)).as(words.toString()).isInstanceOf(IOException.class);
            assertThat(Corpus.tree(files)).as(words.toString()).isEmpty();
        }
        assertThat(directory.resolve("class00")).doesNotExist();
        run(images, "tar", "-cf", archive, "class00/im000.JPEG");
        unpack(files);
        assertThat(Corpus.tree(files)).hasSize(1);
        assertThatThrownBy(() -> unpack(files)).isInstanceOf(Refusal.class).hasMessageContaining("exists already");
    }

    /** A link that is there already must not lead out, either. */
    @Test
    void linksInTheTargetAreNotFollowed() throws Exception {
        pack(ShardFormat.WEBDATASET);
        var files = Files.createDirectories(directory.resolve("files"));
        var outside = Files.createDirectories(directory.resolve("outside"));
        Files.createSymbolicLink(files.resolve("class00"), outside);
        assertThatThrownBy(() -> unpack(files)).isInstanceOf(IOException.class).hasMessageContaining("symbolic link");
        assertThat(outside).isEmptyDirectory();
    }

    private void unpack(Path files) throws IOException {
        new Unpacking(new LocalDirectory(files), Set.of(), false, FormatOptions.DEFAULT, Corpus.NOBODY)
                .run(Corpus.shards(shards), 1);
    }

    private static void run(Path where, String... words) throws Exception {
        var process = new ProcessBuilder(words).directory(where.toFile()).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }
}

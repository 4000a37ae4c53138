package volsh.shard.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.shard.format.TestShard.run;
import static volsh.shard.format.TestShard.sample;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.json.Json;
import volsh.shard.DamagedShardException;
import volsh.shard.Field;
import volsh.shard.IndexedReader;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.ShardFormat;
import volsh.shard.ShardSummary;
import volsh.shard.TokenWidth;
import volsh.shard.UnfitSampleException;
import volsh.shard.VectorType;

/** What all formats promise: bytes that never change, readable here and by programs that others wrote. */
@Tag("data")
final class FormatsTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource
    void theBytesOfAFormatNeverChange(ShardFormat format) throws IOException {
        byte[] written = GoldenShards.write(format).bytes();
        assertThat(written).isEqualTo(Files.readAllBytes(golden(format)));
    }

    private static Path golden(ShardFormat format) {
        return GoldenShards.resource("golden." + format.extension());
    }

    @ParameterizedTest
    @EnumSource
    void whatIsWrittenIsReadBack(ShardFormat format) throws IOException {
        var shard = GoldenShards.write(format);
        assertThat(shard.read()).isEqualTo(GoldenShards.contents(format));
    }

    @ParameterizedTest
    @EnumSource
    void theFormatIsRecognised(ShardFormat format) throws IOException {
        byte[] bytes = GoldenShards.write(format).bytes();
        assertThat(Formats.detect("any.name", TestShard.source(bytes))).isEqualTo(format);
        assertThat(Formats.detect("a." + format.extension(), TestShard.source(new byte[0]))).isEqualTo(format);
        assertThatThrownBy(() -> Formats.detect("any.name", TestShard.source(new byte[1000])))
                .isInstanceOf(DamagedShardException.class).hasMessageContaining("not a shard of a known format");
    }

    /** After a reader is open, which reads at most the header and the index. */
    @ParameterizedTest
    @EnumSource
    void aSampleIsOneRangedRead(ShardFormat format) throws IOException {
        var shard = GoldenShards.write(format);
        var source = new CountingSource(TestShard.source(shard.bytes()));
        var reader = Formats.reader(format, shard.options(), source);
        for (int i = shard.positions().size() - 1; i >= 0; i--) {
            var position = shard.positions().get(i);
            source.reads().clear();
            var sample = reader.at(position);
            assertThat(sample.key()).isEqualTo(position.key());
            var texts = TestShard.texts(sample);
            assertThat(source.reads()).containsExactly(position.offset() + "+" + position.length());
            for (var field : position.fields()) {
                assertThat(texts).containsEntry(field.name(), new String(shard.bytes(), (int) field.offset(),
                        (int) field.length(), StandardCharsets.ISO_8859_1));
            }
        }
        assertThat(TestShard.read(reader)).as("in order, as before").isEqualTo(GoldenShards.contents(format));
    }

    @ParameterizedTest
    @EnumSource(names = {"WEBDATASET", "TFRECORD", "MDS", "RECORDS"})
    void aReaderTellsThePositionsThatTheWriterTold(ShardFormat format) throws IOException {
        var shard = GoldenShards.write(format);
        var reader = shard.reader();
        for (var position : shard.positions()) {
            assertThat(reader.next()).isNotNull();
            assertThat(reader.position()).isEqualTo(position);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MDS", "RECORDS", "TOKENS", "MMAP"})
    void aShardWithItsOwnTableIsReadByNumber(ShardFormat format) throws IOException {
        var shard = GoldenShards.write(format);
        var keys = List.copyOf(GoldenShards.contents(format).keySet());
        try (var reader = (IndexedReader) shard.reader()) {
            assertThat(reader.count()).isEqualTo(keys.size());
            for (int i = keys.size() - 1; i >= 0; i--) {
                var sample = reader.at(reader.position(i));
                assertThat(sample.key()).isEqualTo(keys.get(i));
                assertThat(TestShard.texts(sample)).isEqualTo(GoldenShards.contents(format).get(keys.get(i)));
            }
            assertThatThrownBy(() -> reader.position(keys.size())).isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(TestShard.read(reader)).isEqualTo(GoldenShards.contents(format));
        }
    }

    @ParameterizedTest
    @EnumSource
    void anIndexThatLiesIsFound(ShardFormat format) throws IOException {
        var shard = GoldenShards.write(format);
        var reader = shard.reader();
        var first = shard.positions().getFirst();
        for (var lie : List.of(TestShard.position(first.key(), shard.bytes().length - 3L, 10),
                TestShard.position(first.key(), -5, 10), TestShard.position(first.key(), 0, Long.MAX_VALUE))) {
            assertThatThrownBy(() -> TestShard.texts(reader.at(lie))).isInstanceOf(DamagedShardException.class);
        }
        if (format != ShardFormat.TOKENS && format != ShardFormat.MMAP) {       // their samples have no keys
            assertThatThrownBy(() -> reader.at(TestShard.position("other", first.offset(), first.length())))
                    .isInstanceOf(DamagedShardException.class).hasMessageContaining("'other'");
        }
    }

    @ParameterizedTest
    @EnumSource
    void anEmptyShardIsOne(ShardFormat format) throws IOException {
        assertThat(TestShard.write(format, FormatOptions.DEFAULT, List.of()).read()).isEmpty();
    }

    /** Readers in Python that know the formats from their descriptions, and check every checksum. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WEBDATASET")
    void pythonReadsOurs(ShardFormat format) throws Exception {
        var file = GoldenShards.write(format).saveIn(directory);
        String output = run("python3", GoldenShards.resource("read_shard.py").toString(), format.extension(),
                file.toString());
        assertThat(decoded(output)).isEqualTo(GoldenShards.contents(format));
    }

    private static Map<String, Map<String, String>> decoded(String lines) throws IOException {
        var samples = new LinkedHashMap<String, Map<String, String>>();
        for (String line : lines.lines().toList()) {
            var pair = (List<?>) Json.readValue(line.getBytes(StandardCharsets.UTF_8));
            var fields = new LinkedHashMap<String, String>();
            ((Map<?, ?>) pair.get(1)).forEach((name, hex) -> fields.put((String) name,
                    new String(HexFormat.of().parseHex((String) hex), StandardCharsets.ISO_8859_1)));
            samples.put((String) pair.getFirst(), fields);
        }
        return samples;
    }

    /** The class of the document that asked for this format, unchanged. */
    @Test
    void theClassOfTheDocumentReadsVectors() throws Exception {
        assumeNumpy();
        GoldenShards.write(ShardFormat.MMAP).saveIn(directory);
        Files.copy(directory.resolve("test.shard"), directory.resolve("test2.shard"));
        assertThat(run("python3", "-c", """
                import sys
                sys.dont_write_bytecode = True
                sys.path.insert(0, sys.argv[1])
                from sharded_mmap_dataset import ShardedMmapDataset, np
                data = ShardedMmapDataset(sys.argv[2], np.dtype('float32'))
                print(len(data), data[0].tolist(), data[3].tolist(), [b.tolist() for b in data.sequential_iter(2)][0])
                """, GoldenShards.resource("sharded_mmap_dataset.py").getParent().toString(), directory.toString()))
                .isEqualTo("4 [0.5, -1.0, 3000000000.0] [1.0, 2.0, 3.0] "
                        + "[[0.5, -1.0, 3000000000.0], [1.0, 2.0, 3.0]]\n");
    }

    @Test
    void numpyMapsTokens() throws Exception {
        assumeNumpy();
        var file = GoldenShards.write(ShardFormat.TOKENS).saveIn(directory);
        assertThat(run("python3", "-c", """
                import sys, numpy
                print(numpy.memmap(sys.argv[1], '<u2', 'r', offset=64).reshape(-1, 4).tolist())
                """, file.toString())).isEqualTo("[[1, 2, 3, 65535], [5, 6, 7, 513], [1027, 9, 9, 9]]\n");
    }

    @Test
    void arraysOfNumpyAreVectors() throws Exception {
        assumeNumpy();
        run("python3", "-c", """
                import sys, numpy
                numpy.save(sys.argv[1], numpy.array([[1, 2], [3, 4]], dtype='float16'))
                """, directory.resolve("a.npy").toString());
        var array = Field.of("npy", Files.readAllBytes(directory.resolve("a.npy")));
        var shard = TestShard.write(ShardFormat.MMAP, FormatOptions.DEFAULT.withVectors(VectorType.F16),
                List.of(new Sample("a", List.of(array))));
        assertThat(shard.read()).hasToString("{00000000={f16=\0<\0@\0B\0D}}");
        assertThatThrownBy(() -> TestShard.write(ShardFormat.MMAP, FormatOptions.DEFAULT,
                List.of(new Sample("a", List.of(array))))).isInstanceOf(UnfitSampleException.class);
    }

    private static void assumeNumpy() throws Exception {
        Assumptions.assumeTrue(new ProcessBuilder("python3", "-c", "import numpy").start().waitFor() == 0,
                "python3 has no numpy here");
    }

    @Test
    void rawRecordsAreTheFieldItself() throws IOException {
        var raw = FormatOptions.DEFAULT.withRaw(true);
        var shard = TestShard.write(ShardFormat.TFRECORD, raw, List.of(sample("a", "x", "1"), sample("b", "y", "")));
        assertThat(shard.bytes()).hasSize(2 * 16 + 1);
        assertThat(shard.read()).hasToString("{00000000={bin=1}, 00000001={bin=}}");
        var other = new TestShard(ShardFormat.TFRECORD, FormatOptions.DEFAULT, shard.bytes(), List.of());
        assertThatThrownBy(other::read)
                .hasMessageContaining("not a tf.train.Example; if it need not be, read it as raw");
    }

    /** Lists of several values, numbers that are not packed, and fields that we never write. */
    @Test
    void examplesOfOtherProgramsAreRead() throws IOException {
        String example = "\n\\x\n\f\n\1i\22\7\32\5\b\5\b\200\1\n\21\n\1f\22\f\22\n\n\b\0\0\200?\0\0\0?"
                + "\n\16\n\1b\22\t\n\7\n\1x\n\2yz";
        example = example.replace("\\x", String.valueOf((char) (example.length() - 3)));
        var shard = TestShard.write(ShardFormat.TFRECORD, FormatOptions.DEFAULT.withRaw(true),
                List.of(sample("any", "bin", example)));
        assertThat(new TestShard(ShardFormat.TFRECORD, FormatOptions.DEFAULT, shard.bytes(), List.of()).read())
                .hasToString("{00000000={i=5 128, f=1.0 0.5, b.0=x, b.1=yz}}");
    }

    @Test
    void anIndexMakesOneDatasetOfMdsShards() throws Exception {
        var shard = GoldenShards.write(ShardFormat.MDS);
        var bytes = new ByteArrayOutputStream();
        var writer = Formats.writer(ShardFormat.MDS, GoldenShards.OPTIONS, bytes);
        for (var each : GoldenShards.samples(ShardFormat.MDS)) {
            writer.add(each);
        }
        writer.finish();
        var summary = new ShardSummary("shard.00000.mds", 3, bytes.size(), writer.facts());
        byte[] index = Formats.datasetIndex(ShardFormat.MDS, List.of(summary, summary)).orElseThrow();
        assertThat(MdsIndex.read(index).shards()).containsExactly(summary, summary);
        Files.write(directory.resolve("index.json"), index);
        assertThat(run("python3", "-c", """
                import json, sys
                index = json.load(open(sys.argv[1]))
                shard = index['shards'][1]
                print(index['version'], len(index['shards']), shard['samples'], shard['raw_data']['basename'],
                      shard['raw_data']['bytes'], *zip(shard['column_names'], shard['column_encodings'],
                      shard['column_sizes']), shard['zip_data'], shard['compression'], shard['format'],
                      shard['version'])
                """, directory.resolve("index.json").toString())).isEqualTo(("2 2 3 shard.00000.mds %d "
                        + "('__key__', 'str', None) ('cls', 'int', 8) ('jpg', 'jpeg', None) ('json', 'json', None) "
                        + "None None mds 2\n").formatted(shard.bytes().length));
    }

    /** With the number of samples known before, positions are right at once. */
    @Test
    void mdsKnowsWhereSamplesWillLie() throws IOException {
        var shard = GoldenShards.write(ShardFormat.MDS);
        var known = new ArrayList<>();
        var writer = Formats.writer(ShardFormat.MDS, GoldenShards.OPTIONS.withSamples(3), new ByteArrayOutputStream());
        for (var each : GoldenShards.samples(ShardFormat.MDS)) {
            known.add(writer.add(each));
        }
        writer.finish();
        assertThat(writer.displacement()).isZero();
        assertThat(known).isEqualTo(shard.positions());
    }

    @Test
    void samplesThatAFormatCannotHoldAreRefused() throws IOException {
        refused(ShardFormat.MDS, "is not just a whole number", sample("a", "cls", "7\n"));
        refused(ShardFormat.MDS, "is not UTF-8", sample("a", "txt", "\377"));
        refused(ShardFormat.TFRECORD, "no field can be called __key__", sample("a", "__key__", "7"));
        refused(ShardFormat.RECORDS, "two fields 'x'", sample("a", "x", "7", "x", "8"));
        refused(ShardFormat.RECORDS, "its key is empty", sample("", "x", "7"));
        refused(ShardFormat.TOKENS, "70000 is not from 0 to 65535", sample("a", "txt", "1 70000"));
        refused(ShardFormat.TOKENS, "something else than numbers", sample("a", "txt", "1 two"));
        refused(ShardFormat.TOKENS, "has 2 fields", sample("a", "txt", "1", "cls", "2"));
        refused(ShardFormat.TOKENS, "not a whole number of u16 tokens", sample("a", "bin", "123"));
        refused(ShardFormat.TOKENS, "its tokens are u32", sample("a", "u32", "1234"));
        refused(ShardFormat.TOKENS, "not JSON of numbers", sample("a", "json", "{\"x\": [1]}"));
        refused(ShardFormat.MMAP, "not a vector", sample("a", "jpg", "1"));
        refused(ShardFormat.MMAP, "are not a vector of f32", sample("a", "bin", "123"));
        refused(ShardFormat.MMAP, "one out of range", sample("a", "txt", "1 x"));
        var vectors = Formats.writer(ShardFormat.MMAP, FormatOptions.DEFAULT, new ByteArrayOutputStream());
        vectors.add(sample("a", "txt", "1 2"));
        assertThatThrownBy(() -> vectors.add(sample("b", "txt", "1 2 3"))).isInstanceOf(UnfitSampleException.class)
                .hasMessage("its vector has 3 numbers, those before it in the shard 2");
        var columns = Formats.writer(ShardFormat.MDS, FormatOptions.DEFAULT, new ByteArrayOutputStream());
        columns.add(sample("a", "jpg", "1"));
        assertThatThrownBy(() -> columns.add(sample("b", "jpg", "1", "txt", "2")))
                .hasMessage("it has a field 'txt', but samples before it in the shard have none");
        assertThatThrownBy(() -> columns.add(sample("b", "txt", "2")))
                .hasMessage("it has no field 'jpg', but samples before it in the shard have one");
    }

    private static void refused(ShardFormat format, String reason, Sample sample) throws IOException {
        var writer = Formats.writer(format, FormatOptions.DEFAULT.withTokens(TokenWidth.U16, 4, 0),
                new ByteArrayOutputStream());
        assertThatThrownBy(() -> writer.add(sample)).isInstanceOf(UnfitSampleException.class)
                .hasMessageContaining(reason);
    }
}

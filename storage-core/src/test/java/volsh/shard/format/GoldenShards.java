package volsh.shard.format;

import static volsh.shard.format.TestShard.sample;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.ShardFormat;
import volsh.shard.TokenWidth;

/** A small shard of each format: what is in the files {@code golden.*}, which never change. */
final class GoldenShards {
    static final FormatOptions OPTIONS = FormatOptions.DEFAULT.withTokens(TokenWidth.U16, 4, 9);

    private static final List<Sample> PICTURES = List.of(
            sample("cat/0001", "jpg", "not really a picture\0\377", "cls", "7", "json", "{\"w\": 3}"),
            sample("cat/0002", "jpg", "", "cls", "-1", "json", "[]"),
            sample("hund/größe", "jpg", "x".repeat(600), "cls", "1000000", "json", "null"));
    private static final List<Sample> TOKENS = List.of(sample("a", "txt", "1 2 3\n65535,5"),
            sample("b", "json", "{\"input_ids\": [6, 7]}"), sample("c", "bin", "\1\2\3\4"));
    private static final List<Sample> VECTORS = List.of(
            sample("a", "txt", "0.5 -1 3e9"), sample("b", "json", "[1, 2, 3]"));

    private GoldenShards() {}

    static List<Sample> samples(ShardFormat format) {
        return switch (format) {
            case WEBDATASET, TFRECORD, MDS, RECORDS -> PICTURES;
            case TOKENS -> TOKENS;
            case MMAP -> VECTORS;
        };
    }

    static TestShard write(ShardFormat format) throws IOException {
        return TestShard.write(format, OPTIONS, samples(format));
    }

    /** What a reader gives back. */
    static Map<String, Map<String, String>> contents(ShardFormat format) throws IOException {
        return switch (format) {
            case TOKENS -> TestShard.texts(List.of(sample("00000000", "u16", "\1\0\2\0\3\0\377\377"),
                    sample("00000001", "u16", "\5\0\6\0\7\0\1\2"), sample("00000002", "u16", "\3\4\11\0\11\0\11\0")));
            case MMAP -> TestShard.texts(List.of(
                    sample("00000000", "f32", "\0\0\0\77\0\0\200\277\136\320\62\117"),
                    sample("00000001", "f32", "\0\0\200\77\0\0\0\100\0\0\100\100")));
            default -> TestShard.texts(samples(format));
        };
    }

    static Path resource(String name) {
        try {
            var resource = GoldenShards.class.getResource("/volsh/shard/" + name);
            return Path.of(Objects.requireNonNull(resource, name).toURI());
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}

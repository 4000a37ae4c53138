package volsh.command.shard;

import java.util.Map;
import picocli.CommandLine.Option;
import volsh.shard.FormatOptions;
import volsh.shard.TokenWidth;
import volsh.shard.VectorType;

/** What formats leave to choose. */
final class FormatChoice {
    @Option(names = "--raw",
            description = "TFRecord: a record is the single field of its sample, not a tf.train.Example.")
    private boolean raw;

    @Option(names = "--sequence", paramLabel = "N", defaultValue = "2048",
            description = "Tokens: tokens of a sequence (default: ${DEFAULT-VALUE}).")
    private int sequence;

    @Option(names = "--tokens", paramLabel = "TYPE", defaultValue = "u16",
            description = "Tokens: u16 or u32 (default: ${DEFAULT-VALUE}).")
    private TokenWidth tokens;

    @Option(names = "--padding", paramLabel = "TOKEN", defaultValue = "0",
            description = "Tokens: fill up the last sequence of a shard with this one (default: ${DEFAULT-VALUE}).")
    private long padding;

    @Option(names = "--dtype", paramLabel = "TYPE", defaultValue = "f32",
            description = "Mmap: the type of the numbers (default: ${DEFAULT-VALUE}).")
    private VectorType vectors;

    @Option(names = "--encoding", paramLabel = "FIELD=ENCODING", split = ",",
            description = "MDS: the encoding of a field, such as jpg=jpeg or cls=int, instead of the usual one.")
    private Map<String, String> encodings = Map.of();

    boolean raw() {
        return raw;
    }

    FormatOptions options() {
        return FormatOptions.DEFAULT.withRaw(raw).withTokens(tokens, sequence, padding).withVectors(vectors)
                .withEncodings(encodings);
    }
}

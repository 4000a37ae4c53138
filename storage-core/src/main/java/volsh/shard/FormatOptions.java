package volsh.shard;

import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What formats leave to choose.
 *
 * @param samples        how many samples a writer will be given, if that is known: MDS then knows where they will lie
 * @param raw            TFRecord: a record is the only field of its sample, not a {@code tf.train.Example}
 * @param sequenceLength tokens: how many are a sample
 * @param padding        tokens: what fills up the last sequence of a shard
 * @param vectors        mmap: the type of the numbers, where the shard does not say
 * @param encodings      MDS: the encoding of a field where the usual one does not suit, by the field's name
 */
public record FormatOptions(OptionalLong samples, boolean raw, int sequenceLength, TokenWidth tokens, long padding,
        VectorType vectors, Map<String, String> encodings) {
    public static final FormatOptions DEFAULT =
            new FormatOptions(OptionalLong.empty(), false, 2048, TokenWidth.U16, 0, VectorType.F32, Map.of());

    public FormatOptions {
        if (sequenceLength < 1 || sequenceLength > 1 << 24) {
            throw new IllegalArgumentException("a sequence has 1 to 16777216 tokens, not " + sequenceLength);
        }
        if (padding < 0 || padding > tokens.max()) {
            throw new IllegalArgumentException("padding %d is not a token of %s".formatted(padding, tokens.field()));
        }
        encodings = Map.copyOf(encodings);
    }

    /** All of it as text, the same in every process. */
    public String identity() {
        return "samples=" + samples + " raw=" + raw + " sequence=" + sequenceLength + " tokens=" + tokens + " padding="
                + padding + " vectors=" + vectors + " encodings=" + new TreeMap<>(encodings);
    }

    public FormatOptions withSamples(long count) {
        return new FormatOptions(OptionalLong.of(count), raw, sequenceLength, tokens, padding, vectors, encodings);
    }

    public FormatOptions withRaw(boolean on) {
        return new FormatOptions(samples, on, sequenceLength, tokens, padding, vectors, encodings);
    }

    public FormatOptions withTokens(TokenWidth width, int length, long fill) {
        return new FormatOptions(samples, raw, length, width, fill, vectors, encodings);
    }

    public FormatOptions withVectors(VectorType type) {
        return new FormatOptions(samples, raw, sequenceLength, tokens, padding, type, encodings);
    }

    public FormatOptions withEncodings(Map<String, String> byField) {
        return new FormatOptions(samples, raw, sequenceLength, tokens, padding, vectors, byField);
    }
}

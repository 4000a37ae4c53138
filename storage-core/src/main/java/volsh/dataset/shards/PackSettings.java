package volsh.dataset.shards;

import java.util.Map;
import java.util.OptionalLong;
import volsh.shard.FormatOptions;
import volsh.shard.ShardFormat;

/**
 * How a dataset is packed.
 *
 * @param samples at most this many samples in a shard
 * @param size    at most this many bytes in a shard, unless one sample is larger
 * @param splits  the share of each split, by name; empty: one split, {@code shard}
 * @param readers how many readers share the shards: their number becomes a multiple of it
 * @param strict  a bad sample fails
 */
public record PackSettings(ShardFormat format, FormatOptions options, OptionalLong samples, OptionalLong size,
        Map<String, Double> splits, boolean shuffle, long seed, int readers, int threads, boolean strict,
        boolean replace) {
    static final String SINGLE = "shard";

    /** What decides the bytes of the shards, as text. */
    String identity() {
        return "%s %s %s %s %s %s %d %d".formatted(format, options.identity(), samples, size, splits, shuffle, seed,
                readers);
    }
}

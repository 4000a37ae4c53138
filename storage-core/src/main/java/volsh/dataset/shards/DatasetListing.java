package volsh.dataset.shards;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import volsh.dataset.DatasetDirectory;
import volsh.shard.FormatOptions;
import volsh.shard.ShardFormat;
import volsh.shard.UnfitSampleException;
import volsh.shard.format.Formats;

/**
 * Counts the samples of shards: from the description of their dataset or their index, else by reading their headers.
 */
public final class DatasetListing {
    private final FormatOptions options;
    private final Map<DatasetDirectory, Optional<DatasetRecord>> records = new HashMap<>();

    public DatasetListing(FormatOptions options) {
        this.options = options;
    }

    /** A shard in short. */
    public record Listed(ShardFormat format, long samples, long bytes, boolean indexed) {}

    public Listed of(ShardFile shard) throws IOException {
        long size = shard.size();
        boolean indexed = shard.directory().size(ShardIndex.name(shard.name())).isPresent();
        ShardFormat format;
        try (var file = shard.directory().open(shard.name())) {
            format = Formats.detect(shard.name(), file);
        }
        return new Listed(format, samples(shard, size, indexed), size, indexed);
    }

    private long samples(ShardFile shard, long size, boolean indexed) throws IOException {
        if (!records.containsKey(shard.directory())) {
            records.put(shard.directory(), DatasetRecord.in(shard.directory()));
        }
        var record = records.get(shard.directory()).flatMap(all -> all.find(shard.name()));
        if (record.isPresent() && record.get().bytes() == size) {
            return record.get().samples();
        }
        return indexed ? shard.index().orElseThrow().entries().size() : count(shard);
    }

    private long count(ShardFile shard) throws IOException {
        try (var open = shard.open(options)) {
            for (long count = 0; ; ) {
                try {
                    if (open.reader().next() == null) {
                        return count;
                    }
                    count++;
                } catch (UnfitSampleException odd) {
                    // no sample; verify tells
                }
            }
        }
    }
}

package volsh.dataset.shards;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Optional;
import volsh.catalog.Refusal;
import volsh.dataset.DatasetDirectory;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.ShardFormat;
import volsh.shard.UnfitSampleException;

/** Writes the index of a shard that was packed elsewhere. */
public final class Indexing {
    private final FormatOptions options;
    private final PackObserver observer;

    public Indexing(FormatOptions options, PackObserver observer) {
        this.options = options;
        this.observer = observer;
    }

    /** Writes the index beside the shard; returns its number of samples. */
    public int index(ShardFile shard) throws IOException {
        var entries = new ArrayList<ShardIndex.Entry>();
        try (var bytes = new SummedShard(shard.directory().open(shard.name()));
                var open = shard.open(options, bytes)) {
            if (open.format() != ShardFormat.WEBDATASET) {
                throw new Refusal(Refusal.Reason.INVALID, "%s: shards of the format %s hold their own index".formatted(
                        shard.shown(), open.format().name().toLowerCase(java.util.Locale.ROOT)));
            }
            for (var sample = next(open); sample != null; sample = next(open)) {
                observer.check();
                var position = open.reader().position();
                int sum = bytes.sum(position.offset(), position.length());
                entries.add(new ShardIndex.Entry(position, Optional.of(sum)));
                observer.packed(position.length());
            }
        }
        shard.directory().write(ShardIndex.name(shard.name()), new ShardIndex(entries).text());
        shard.directory().delete(DatasetDirectory.WORK);
        return entries.size();
    }

    private static @org.jspecify.annotations.Nullable Sample next(ShardFile.OpenedShard open) throws IOException {
        while (true) {
            try {
                return open.reader().next();
            } catch (UnfitSampleException odd) {
                // no sample, and so not in the index
            }
        }
    }
}

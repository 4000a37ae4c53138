package volsh.dataset.shards;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import volsh.catalog.Refusal;
import volsh.dataset.BadSamples;
import volsh.dataset.DatasetDirectory;
import volsh.fs.ShellWord;
import volsh.shard.DamagedShardException;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.ShardFormat;
import volsh.shard.UnfitSampleException;
import volsh.shard.format.Formats;

/**
 * Writes the samples of shards to shards of another format, sample by sample: each shard becomes one, under the same
 * name with another extension. A sample that the format cannot hold is a bad sample.
 */
public final class ShardConversion {
    private final DatasetDirectory target;
    private final ShardFormat format;
    private final FormatOptions from;
    private final FormatOptions to;
    private final PackObserver observer;
    private final BadSamples bad;

    /** @param from options for reading, {@code to} for writing */
    public ShardConversion(DatasetDirectory target, ShardFormat format, FormatOptions from, FormatOptions to,
            PackObserver observer, BadSamples bad) {
        this.target = target;
        this.format = format;
        this.from = from;
        this.to = to;
        this.observer = observer;
        this.bad = bad;
    }

    /**
     * The names of the new shards, in the order of the old ones. @throws Refusal CONFLICT if two would have one name
     */
    public List<String> names(List<ShardFile> shards) throws Refusal {
        var old = shards.stream().map(shard -> ShardName.of(shard.name())).toList();
        boolean several = old.stream().map(ShardName::split).distinct().count() > 1;
        var counts = new HashMap<String, Integer>();
        var names = new LinkedHashSet<String>();
        for (var name : old) {
            int number = counts.merge(name.split(), 1, Integer::sum) - 1;
            var named = format == ShardFormat.MDS
                    ? ShardName.of(several ? name.split() : PackSettings.SINGLE, number, format) : name.in(format);
            if (!names.add(named)) {
                throw new Refusal(Refusal.Reason.CONFLICT, "two of the shards would become " + target.shown(named),
                        "convert the directories one by one");
            }
        }
        return List.copyOf(names);
    }

    /** Converts all. @throws Refusal CONFLICT if a new shard exists already and {@code replace} is not set */
    public DatasetPacking.Packed run(List<ShardFile> shards, int threads, boolean replace) throws IOException {
        var names = names(shards);
        target.makeDirectories();
        for (var name : names) {
            if (!replace && target.size(name).isPresent()) {
                throw new Refusal(Refusal.Reason.CONFLICT, target.shown(name) + ": exists already",
                        "to replace existing shards, add --force");
            }
        }
        var records = new AtomicReferenceArray<ShardRecord>(shards.size());
        try {
            ParallelWork.run(IntStream.range(0, shards.size()).boxed().toList(), threads,
                    i -> records.set(i, convert(shards.get(i), names.get(i))));
        } finally {
            target.delete(DatasetDirectory.WORK);
        }
        var all = IntStream.range(0, shards.size()).mapToObj(records::get).toList();
        DatasetRecord.writeIndexes(target, format, all);
        DatasetRecord.write(target, format, all);
        target.sync(names);
        target.delete(DatasetDirectory.WORK);
        return DatasetPacking.packed(all, 0);
    }

    private ShardRecord convert(ShardFile shard, String name) throws IOException {
        try (var open = shard.open(from); var file = target.create(name)) {
            var stream = new CheckedStream(file.stream(), format == ShardFormat.WEBDATASET);
            var writer = Formats.writer(format, to, stream);
            for (var sample = next(open); sample != null; sample = next(open)) {
                observer.check();
                try {
                    stream.sample(writer.add(sample));
                } catch (UnfitSampleException unfit) {
                    bad.add(sample.key(), String.valueOf(unfit.getMessage()));
                }
                observer.packed(open.reader().position().length());
            }
            writer.finish();
            stream.flush();
            if (format == ShardFormat.WEBDATASET) {
                ShardIndex.write(target, name, stream.index());
            }
            file.commit();
            return new ShardRecord(name, ShardName.of(name).split(), stream.samples(), stream.count(),
                    stream.crc32c(), writer.facts(), List.of());
        } catch (DamagedShardException damaged) {
            throw new Refusal(Refusal.Reason.DAMAGED, "%s: %s".formatted(shard.shown(), damaged.getMessage()),
                    "volsh shard verify " + ShellWord.of(shard.shown()));
        }
    }

    /** The next sample; members that are none are bad samples. */
    private @org.jspecify.annotations.Nullable Sample next(ShardFile.OpenedShard open) throws IOException {
        while (true) {
            try {
                return open.reader().next();
            } catch (UnfitSampleException odd) {
                bad.add("", String.valueOf(odd.getMessage()));
            }
        }
    }
}

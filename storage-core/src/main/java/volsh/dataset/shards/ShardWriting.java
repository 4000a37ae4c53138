package volsh.dataset.shards;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import volsh.dataset.BadSamples;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.PendingFile;
import volsh.dataset.SampleTable;
import volsh.dataset.SourceReadException;
import volsh.dataset.shards.PackPlan.PlannedShard;
import volsh.json.Json;
import volsh.shard.SampleWriter;
import volsh.shard.ShardFormat;
import volsh.shard.UnfitSampleException;
import volsh.shard.format.Formats;

/**
 * Writes a planned shard, its index and its record, and then commits it. A writer takes a small sample back whose file
 * fails while it is being written. A large one costs a second attempt without it: the bytes depend on the samples that
 * are in, and on nothing else.
 */
final class ShardWriting {
    /** How many samples are announced before they are read. */
    private static final int AHEAD = 32;

    private final SampleTable table;
    private final PackPlan plan;
    private final PackSettings settings;
    private final DatasetDirectory target;
    private final PackObserver observer;

    ShardWriting(SampleTable table, PackPlan plan, PackSettings settings, DatasetDirectory target,
            PackObserver observer) {
        this.table = table;
        this.plan = plan;
        this.settings = settings;
        this.target = target;
        this.observer = observer;
    }

    ShardRecord write(PlannedShard shard) throws IOException {
        Set<Integer> without = new HashSet<>();
        var bad = new ArrayList<BadSamples.Bad>();
        while (true) {
            var unfit = new ArrayList<>(bad);
            try {
                return attempt(shard, without, unfit);
            } catch (SourceReadException failed) {
                if (settings.strict()) {
                    throw failed;
                }
                without.add(failed.sample());
                bad.add(new BadSamples.Bad(failed.path(), failed.reason()));
            }
        }
    }

    private ShardRecord attempt(PlannedShard shard, Set<Integer> without, List<BadSamples.Bad> bad)
            throws IOException {
        long told = 0;
        try (var file = target.create(shard.name())) {
            var stream = new CheckedStream(file.stream(), settings.format() == ShardFormat.WEBDATASET);
            var writer = Formats.writer(settings.format(), settings.options(), stream);
            int announced = shard.from();
            for (int i = shard.from(); i < shard.to(); i++) {
                observer.check();
                for (; announced < Math.min(shard.to(), i + AHEAD); announced++) {
                    table.willRead(plan.sequence()[announced]);
                }
                if (!without.contains(plan.sequence()[i])) {
                    add(writer, stream, plan.sequence()[i], bad);
                    long size = table.size(plan.sequence()[i]);
                    observer.packed(size);
                    told += size;
                }
            }
            writer.finish();
            stream.flush();
            var record = new ShardRecord(shard.name(), shard.split(), stream.samples(), stream.count(),
                    stream.crc32c(), writer.facts(), bad);
            commit(file, record, stream);
            return record;
        } catch (SourceReadException again) {
            observer.packed(-told);
            throw again;
        }
    }

    private void add(SampleWriter writer, CheckedStream stream, int number, List<BadSamples.Bad> bad)
            throws IOException {
        try {
            stream.sample(writer.add(table.sample(number)));
        } catch (UnfitSampleException unfit) {
            if (unfit.getCause() instanceof SourceReadException unreadable) {
                leaveOut(unreadable, bad);
            } else if (settings.strict()) {
                throw new UnfitSampleException(table.key(number) + ": " + unfit.getMessage());
            } else {
                bad.add(new BadSamples.Bad(table.key(number), String.valueOf(unfit.getMessage())));
            }
        }
    }

    private void leaveOut(SourceReadException unreadable, List<BadSamples.Bad> bad) throws SourceReadException {
        if (settings.strict()) {
            throw unreadable;
        }
        bad.add(new BadSamples.Bad(unreadable.path(), unreadable.reason()));
    }

    /** The shard last: where it is, its index and its record are, too. */
    private void commit(PendingFile file, ShardRecord record, CheckedStream stream) throws IOException {
        if (settings.format() == ShardFormat.WEBDATASET) {
            ShardIndex.write(target, record.name(), stream.index());
        }
        target.write(PackState.recordName(record.name()), Json.line(record.json(true)));
        file.commit();
    }
}

package volsh.dataset.shards;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import volsh.dataset.BadSamples;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.SampleTable;
import volsh.dataset.shards.PackPlan.PlannedShard;
import volsh.json.Json;

/**
 * Packs the samples of a source into shards. Whole shards appear, in any order; after an interruption the same pack
 * goes on with those that are missing, and gives the same bytes as one that was not interrupted.
 */
public final class DatasetPacking {
    private static final String CLASSES = "classes.json";

    private final SampleTable table;
    private final PackSettings settings;
    private final DatasetDirectory target;
    private final BadSamples bad;
    private final PackPlan plan;

    public DatasetPacking(SampleTable table, PackSettings settings, DatasetDirectory target, BadSamples bad) {
        this.table = table;
        this.settings = settings;
        this.target = target;
        this.bad = bad;
        this.plan = PackPlan.of(table, settings);
    }

    /** @param resumed how many of the shards were finished before */
    public record Packed(List<PackedShard> shards, int resumed) {
        public long samples() {
            return shards.stream().mapToLong(PackedShard::samples).sum();
        }

        public long bytes() {
            return shards.stream().mapToLong(PackedShard::bytes).sum();
        }
    }

    /** A shard of the finished dataset. */
    public record PackedShard(String name, String split, long samples, long bytes) {}

    public PackPlan plan() {
        return plan;
    }

    /** The bytes of the samples that are to be packed. */
    public long bytes() {
        long bytes = 0;
        for (var shard : plan.shards()) {
            bytes += bytes(shard);
        }
        return bytes;
    }

    private long bytes(PlannedShard shard) {
        long bytes = 0;
        for (int i = shard.from(); i < shard.to(); i++) {
            bytes += table.size(plan.sequence()[i]);
        }
        return bytes;
    }

    /**
     * Packs what is missing.
     *
     * @throws volsh.catalog.Refusal CONFLICT if the target holds something else
     */
    public Packed run(PackObserver observer) throws IOException {
        var state = new PackState(target, table, settings);
        var names = plan.shards().stream().map(PlannedShard::name).toList();
        if (state.isComplete() && !settings.replace()) {
            return packed(complete(), names.size());
        }
        state.begin(names, settings.replace());
        var records = new AtomicReferenceArray<ShardRecord>(names.size());
        var missing = new ArrayList<Integer>();
        for (int i = 0; i < names.size(); i++) {
            var finished = state.finished(names.get(i));
            if (finished.isPresent()) {
                records.set(i, finished.get());
                observer.packed(bytes(plan.shards().get(i)));
            } else {
                missing.add(i);
            }
        }
        var writing = new ShardWriting(table, plan, settings, target, observer);
        ParallelWork.run(missing, settings.threads(),
                i -> records.set(i, writing.write(plan.shards().get(i))));
        return finish(state, records, names.size() - missing.size());
    }

    private Packed finish(PackState state, AtomicReferenceArray<ShardRecord> written, int resumed) throws IOException {
        var records = new ArrayList<ShardRecord>();
        for (int i = 0; i < written.length(); i++) {
            records.add(written.get(i));
            written.get(i).bad().forEach(one -> bad.add(one.name(), one.reason()));
        }
        if (!table.classes().numbers().isEmpty()) {
            target.write(CLASSES, Json.write(table.classes().numbers()));
        }
        DatasetRecord.writeIndexes(target, settings.format(), records);
        state.complete(settings, table, records);
        return packed(records, resumed);
    }

    private List<ShardRecord> complete() throws IOException {
        return DatasetRecord.in(target).orElseThrow(() -> new IOException(
                target.shown(PackState.DATASET) + " was removed meanwhile")).shards();
    }

    static Packed packed(List<ShardRecord> records, int resumed) {
        return new Packed(records.stream().map(record -> new PackedShard(record.name(), record.split(),
                record.samples(), record.bytes())).toList(), resumed);
    }
}

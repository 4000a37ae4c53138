package volsh.trial;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.bench.Task;
import volsh.dataset.DatasetDirectory;
import volsh.shard.FormatOptions;
import volsh.shard.SamplePosition;
import volsh.shard.SampleReader;
import volsh.shard.ShardFormat;
import volsh.shard.format.Formats;

/** Reads samples of indexed shards in this order, each where the index says it is. */
final class RecordReads implements Task.Part {
    private final DatasetDirectory directory;
    private final List<Found> samples;
    private final Map<String, DatasetDirectory.OpenShard> open = new HashMap<>();
    private final Map<String, SampleReader> readers = new HashMap<>();
    private int next;

    /** Where a sample is. */
    record Found(String shard, SamplePosition position) {}

    RecordReads(DatasetDirectory directory, List<Found> samples) {
        this.directory = directory;
        this.samples = samples;
    }

    /** All samples of the shards in a directory, as a loader that keeps their indexes knows them. */
    static List<Found> all(DatasetDirectory directory) throws IOException {
        var all = new ArrayList<Found>();
        for (var name : directory.names("")) {
            if (name.endsWith("." + ShardFormat.RECORDS.extension())) {
                try (var shard = directory.open(name);
                        var reader = Formats.reader(ShardFormat.RECORDS, FormatOptions.DEFAULT, shard)) {
                    while (reader.next() != null) {
                        all.add(new Found(name, reader.position()));
                    }
                }
            }
        }
        return all;
    }

    @Override
    public long once() throws IOException {
        if (next == samples.size()) {
            return END;
        }
        var found = samples.get(next++);
        return ShardReads.read(reader(found.shard()).at(found.position()));
    }

    private SampleReader reader(String shard) throws IOException {
        var known = readers.get(shard);
        if (known == null) {
            open.put(shard, directory.open(shard));
            known = Formats.reader(ShardFormat.RECORDS, FormatOptions.DEFAULT, open.get(shard));
            readers.put(shard, known);
        }
        return known;
    }

    @Override
    public void close() throws IOException {
        for (var reader : readers.values()) {
            reader.close();
        }
        for (var shard : open.values()) {
            shard.close();
        }
    }
}

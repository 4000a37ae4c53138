package volsh.trial;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.bench.Task;
import volsh.dataset.DatasetDirectory;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.SampleReader;
import volsh.shard.ShardFormat;
import volsh.shard.format.Formats;

/** Reads the samples of tar shards, one shard after the other, each from front to back. */
final class ShardReads implements Task.Part {
    private final DatasetDirectory directory;
    private final List<String> shards;
    private int next;
    private DatasetDirectory.@Nullable OpenShard open;
    private @Nullable SampleReader reader;

    ShardReads(DatasetDirectory directory, List<String> shards) {
        this.directory = directory;
        this.shards = shards;
    }

    @Override
    public long once() throws IOException {
        while (true) {
            var sample = reader == null ? null : reader.next();
            if (sample != null) {
                return read(sample);
            }
            if (next == shards.size()) {
                return END;
            }
            close();
            open = directory.open(shards.get(next++));
            reader = Formats.reader(ShardFormat.WEBDATASET, FormatOptions.DEFAULT, open);
        }
    }

    static long read(Sample sample) throws IOException {
        for (var field : sample.fields()) {
            try (var in = field.open()) {
                in.transferTo(OutputStream.nullOutputStream());
            }
        }
        return sample.size();
    }

    @Override
    public void close() throws IOException {
        if (reader != null) {
            reader.close();
        }
        if (open != null) {
            open.close();
        }
        reader = null;
        open = null;
    }
}

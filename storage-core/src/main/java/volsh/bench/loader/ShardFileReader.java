package volsh.bench.loader;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import volsh.fs.ByteSource;
import volsh.shard.DamagedShardException;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.SampleReader;
import volsh.shard.ShardFormat;
import volsh.shard.UnfitSampleException;
import volsh.shard.format.Formats;

/** Reads every byte of a shard, in large pieces, and verifies what the format has checksums for. */
final class ShardFileReader implements Samples.Reader {
    private static final FormatOptions OPTIONS = FormatOptions.DEFAULT.withRaw(true);

    private final Path path;
    private final FileChannel file;
    private final SampleReader reader;
    private final boolean lazy;

    /** Tar archives or record files; what is in a record does not matter. */
    ShardFileReader(Path path, ShardFormat format) throws IOException {
        this.path = path;
        this.lazy = format == ShardFormat.WEBDATASET;   // others have read a sample to verify it
        this.file = FileChannel.open(path);
        this.reader = Formats.reader(format, OPTIONS, ByteSource.of(file));
    }

    @Override
    public long next() throws IOException {
        try {
            var sample = sample();
            if (sample == null) {
                return END;
            }
            if (lazy) {
                read(sample);
            }
            return sample.size();
        } catch (DamagedShardException damaged) {
            throw new IOException("%s is corrupt: %s".formatted(path, damaged.getMessage()), damaged);
        }
    }

    private @Nullable Sample sample() throws IOException {
        while (true) {
            try {
                return reader.next();
            } catch (UnfitSampleException link) {
                // loaders pass over it
            }
        }
    }

    private static void read(Sample sample) throws IOException {
        for (var field : sample.fields()) {
            try (var in = field.open()) {
                in.transferTo(OutputStream.nullOutputStream());
            }
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}

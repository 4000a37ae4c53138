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

    private ShardFileReader(Path path, FileChannel file, ShardFormat format) throws IOException {
        this.path = path;
        this.lazy = format != ShardFormat.TFRECORD;   // which has read a sample to verify it
        this.file = file;
        this.reader = Formats.reader(format, OPTIONS, ByteSource.of(file));
    }

    /** A tar archive. */
    static ShardFileReader tar(Path path) throws IOException {
        return opened(path, FileChannel.open(path), ShardFormat.WEBDATASET);
    }

    /** A file of records: ours if it is one, else TFRecord, in which what is in a record does not matter. */
    static ShardFileReader records(Path path) throws IOException {
        var file = FileChannel.open(path);
        return opened(path, file, isOurs(path, file) ? ShardFormat.RECORDS : ShardFormat.TFRECORD);
    }

    private static boolean isOurs(Path path, FileChannel file) throws IOException {
        try {
            return Formats.detect(path.getFileName().toString(), ByteSource.of(file)) == ShardFormat.RECORDS;
        } catch (DamagedShardException unknown) {
            return false;
        }
    }

    private static ShardFileReader opened(Path path, FileChannel file, ShardFormat format) throws IOException {
        try {
            return new ShardFileReader(path, file, format);
        } catch (DamagedShardException damaged) {
            file.close();
            throw corrupt(path, damaged);
        } catch (IOException | RuntimeException failed) {
            file.close();
            throw failed;
        }
    }

    private static IOException corrupt(Path path, DamagedShardException damaged) {
        return new IOException("%s is corrupt: %s".formatted(path, damaged.getMessage()), damaged);
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
            throw corrupt(path, damaged);
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

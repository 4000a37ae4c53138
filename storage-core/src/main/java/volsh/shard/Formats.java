package volsh.shard;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import volsh.fs.ByteSource;

/** Writers and readers of every format. */
public final class Formats {
    private Formats() {}

    /** The writer of one shard. */
    public static SampleWriter writer(ShardFormat format, FormatOptions options, OutputStream target)
            throws IOException {
        return switch (format) {
            case WEBDATASET -> new WebDatasetWriter(target);
            default -> throw new IOException("cannot write " + format);
        };
    }

    /**
     * The reader of one shard.
     *
     * @throws DamagedShardException if not even its beginning is as the format demands
     */
    public static SampleReader reader(ShardFormat format, FormatOptions options, ByteSource source)
            throws IOException {
        return switch (format) {
            case WEBDATASET -> new WebDatasetReader(source);
            default -> throw new IOException("cannot read " + format);
        };
    }

    /** How many bytes a sample adds to a shard: from its names and sizes, opens nothing. */
    public static long storedSize(ShardFormat format, FormatOptions options, Sample sample) {
        return switch (format) {
            case WEBDATASET -> WebDatasetWriter.storedSize(sample);
            default -> sample.size();
        };
    }

    /** The file that makes one dataset of the shards of a directory, for formats that have one. */
    public static Optional<byte[]> datasetIndex(ShardFormat format, List<ShardSummary> shards) throws IOException {
        return Optional.empty();
    }

    /**
     * The format of a shard: by its first bytes, or by its name if these are damaged or there are none.
     *
     * @throws DamagedShardException if neither tells
     */
    public static ShardFormat detect(String name, ByteSource source) throws IOException {
        for (var format : ShardFormat.values()) {
            if (name.endsWith("." + format.extension())) {
                return format;
            }
        }
        throw new DamagedShardException(0, "not a shard of a known format");
    }
}

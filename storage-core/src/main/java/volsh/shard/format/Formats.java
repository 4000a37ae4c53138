package volsh.shard.format;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import volsh.fs.ByteSource;
import volsh.shard.DamagedShardException;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.SampleReader;
import volsh.shard.SampleWriter;
import volsh.shard.ShardFormat;
import volsh.shard.ShardSummary;

/** Writers and readers of every format. */
public final class Formats {
    private Formats() {}

    /** The writer of one shard. */
    public static SampleWriter writer(ShardFormat format, FormatOptions options, OutputStream target)
            throws IOException {
        return switch (format) {
            case WEBDATASET -> new WebDatasetWriter(target);
            case TFRECORD -> new TfRecordWriter(target, options.raw());
            case MDS -> new MdsWriter(options, target);
            case RECORDS -> new RecordsWriter(target);
            case TOKENS -> new TokenWriter(options, target);
            case MMAP -> new VectorWriter(options, target);
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
            case TFRECORD -> new TfRecordReader(source, options.raw());
            case MDS -> new MdsReader(source);
            case RECORDS -> new RecordsReader(source);
            case TOKENS -> FixedReader.tokens(source);
            case MMAP -> FixedReader.vectors(source, options.vectors());
        };
    }

    /** How many bytes a sample adds to a shard: from its names and sizes, opens nothing. */
    public static long storedSize(ShardFormat format, FormatOptions options, Sample sample) {
        return switch (format) {
            case WEBDATASET -> WebDatasetWriter.storedSize(sample);
            case TFRECORD -> TfRecordWriter.storedSize(sample, options.raw());
            case MDS -> MdsWriter.storedSize(sample);
            case RECORDS -> RecordsWriter.storedSize(sample);
            case TOKENS -> TokenWriter.storedSize(sample, options);
            case MMAP -> sample.size();
        };
    }

    /** The file that makes one dataset of the shards of a directory, for formats that have one. */
    public static Optional<byte[]> datasetIndex(ShardFormat format, List<ShardSummary> shards) throws IOException {
        return format == ShardFormat.MDS ? Optional.of(new MdsIndex(shards).bytes()) : Optional.empty();
    }

    /**
     * The format of a shard: by its first bytes, or by its name if these are damaged or there are none.
     *
     * @throws DamagedShardException if neither tells
     */
    public static ShardFormat detect(String name, ByteSource source) throws IOException {
        byte[] start = start(source);
        if (FixedHeader.begins(start, FixedHeader.VECTORS)) {
            return ShardFormat.MMAP;
        }
        if (FixedHeader.begins(start, FixedHeader.TOKENS)) {
            return ShardFormat.TOKENS;
        }
        if (RecordsFile.looksLike(start)) {
            return ShardFormat.RECORDS;
        }
        if (TfRecordReader.looksLike(start)) {
            return ShardFormat.TFRECORD;
        }
        if (TarFields.looksLike(start)) {
            return ShardFormat.WEBDATASET;
        }
        return start.length >= 8 && MdsReader.looksLike(source) ? ShardFormat.MDS : byName(name);
    }

    private static byte[] start(ByteSource source) throws IOException {
        var start = ByteBuffer.allocate((int) Math.min(TarHeader.BLOCK, source.size()));
        while (start.hasRemaining() && source.read(start.position(), start) > 0) {
            // until it is full
        }
        return Arrays.copyOf(start.array(), start.position());
    }

    private static ShardFormat byName(String name) throws DamagedShardException {
        for (var format : ShardFormat.values()) {
            if (name.endsWith("." + format.extension())) {
                return format;
            }
        }
        throw new DamagedShardException(0, "not a shard of a known format");
    }
}

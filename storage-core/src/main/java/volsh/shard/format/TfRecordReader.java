package volsh.shard.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import volsh.fs.ByteSource;
import volsh.shard.DamagedShardException;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;
import volsh.shard.SampleReader;

/** Records of TensorFlow. Both checksums of a record are verified before its sample is handed out. */
final class TfRecordReader implements SampleReader {
    private static final int HEAD = 12;
    private static final String RAW_FIELD = "bin";

    private final ByteSource source;
    private final ShardWindow window;
    private final boolean raw;
    private long at;
    private long count;
    private boolean numbered;
    private @Nullable SamplePosition position;

    TfRecordReader(ByteSource source, boolean raw) throws IOException {
        this(source, ShardWindow.whole(source), 0, raw);
    }

    private TfRecordReader(ByteSource source, ShardWindow window, long at, boolean raw) {
        this.source = source;
        this.window = window;
        this.at = at;
        this.raw = raw;
    }

    /** Whether the file begins with a record; it may be cut short. */
    static boolean looksLike(byte[] start) {
        return start.length >= HEAD && little(start, 8, 4).getInt() == Crc32c.masked(Crc32c.of(start, 0, 8));
    }

    @Override
    public @Nullable Sample next() throws IOException {
        return at == window.end() ? null : next(SampleNames.number(count));
    }

    /** @param key of a record that has none */
    private Sample next(String key) throws IOException {
        long start = at;
        long length = length(start);
        requireSum(start, length);
        var read = raw ? raw(start + HEAD, length, "") : ExampleReader.read(window, start + HEAD, length, "");
        numbered = read.key().isEmpty();
        var example = numbered ? new Sample(key, read.fields()) : read;
        position = new SamplePosition(example.key(), start, length + TfRecordWriter.OVERHEAD, example.fields().stream()
                .filter(StoredField.class::isInstance).map(StoredField.class::cast)
                .map(field -> new FieldPosition(field.name(), field.offset(), field.size())).toList());
        at = start + length + TfRecordWriter.OVERHEAD;
        count++;
        return example;
    }

    @Override
    public boolean isNumbered() {
        return numbered;
    }

    private long length(long start) throws IOException {
        int i = window.load(start, HEAD);
        if (little(window.array(), i + 8, 4).getInt() != Crc32c.masked(Crc32c.of(window.array(), i, 8))) {
            throw new DamagedShardException(start, "the checksum of a record's length is wrong");
        }
        long length = little(window.array(), i, 8).getLong();
        long left = window.end() - start - TfRecordWriter.OVERHEAD;
        if (length < 0 || length > left) {
            throw new DamagedShardException(start, "truncated: a record of %s bytes where the file has %d left"
                    .formatted(Long.toUnsignedString(length), Math.max(0, left)));
        }
        return length;
    }

    private void requireSum(long start, long length) throws IOException {
        if (length + TfRecordWriter.OVERHEAD <= ShardWindow.SIZE) {
            window.load(start, (int) length + TfRecordWriter.OVERHEAD);     // stays there for the fields
        }
        int sum = Crc32c.masked(Crc32c.of(window, start + HEAD, length));
        int i = window.load(start + HEAD + length, 4);
        if (little(window.array(), i, 4).getInt() != sum) {
            throw new DamagedShardException(start, "the checksum of a record's bytes is wrong");
        }
    }

    private Sample raw(long from, long length, String key) {
        return new Sample(key, List.of(new StoredField(RAW_FIELD, length, from, window)));
    }

    private static ByteBuffer little(byte[] bytes, int from, int length) {
        return ByteBuffer.wrap(bytes, from, length).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public SamplePosition position() {
        return Objects.requireNonNull(position, "next() comes first");
    }

    @Override
    public Sample at(SamplePosition wanted) throws IOException {
        var reader = new TfRecordReader(source, ShardWindow.of(source, wanted), wanted.offset(), raw);
        var sample = reader.next(wanted.key());
        if (!sample.key().equals(wanted.key()) || reader.at != reader.window.end()) {
            throw new DamagedShardException(wanted.offset(), "the index has sample '%s' here, the shard '%s'"
                    .formatted(wanted.key(), sample.key()));
        }
        return sample;
    }

    @Override
    public void close() {}
}

package volsh.shard.format;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import volsh.fs.ByteSource;
import volsh.shard.DamagedShardException;
import volsh.shard.Field;
import volsh.shard.IndexedReader;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;

/**
 * A shard of MosaicML Streaming. The format has no checksums of samples: offsets, sizes and the description of the
 * columns are checked against each other.
 */
final class MdsReader implements IndexedReader {
    private static final int DESCRIPTION_MAX = 1 << 19;
    private static final int KEY_MAX = 64 << 10;

    private final ByteSource source;
    private final ShardWindow table;
    private final ShardWindow window;
    private final long samples;
    private final MdsColumns columns;
    private long count;
    private @Nullable SamplePosition position;

    MdsReader(ByteSource source) throws IOException {
        this.source = source;
        this.table = ShardWindow.whole(source);
        this.window = ShardWindow.whole(source);
        this.samples = unsigned(table, 0);
        long tableEnd = 4 + 4 * (samples + 1);
        if (tableEnd > table.end()) {
            throw new DamagedShardException(0, "%d samples in a file of %d bytes".formatted(samples, table.end()));
        }
        long first = unsigned(table, 4);
        if (first < tableEnd || first > table.end() || first - tableEnd > DESCRIPTION_MAX) {
            throw new DamagedShardException(4, "the first sample at offset %d, outside of the file".formatted(first));
        }
        this.columns = columns(tableEnd, (int) (first - tableEnd));
        long end = unsigned(table, 4 + 4 * samples);
        if (end != table.end()) {
            throw new DamagedShardException(4 + 4 * samples, "the last sample ends at %d, the file at %d"
                    .formatted(end, table.end()));
        }
    }

    /** Whether the file begins like a shard: a table of offsets, and an object of JSON behind it. */
    static boolean looksLike(ByteSource source) throws IOException {
        try (var reader = new MdsReader(source)) {
            return reader.samples >= 0;
        } catch (DamagedShardException other) {
            return false;
        }
    }

    private MdsColumns columns(long offset, int length) throws IOException {
        int i = table.load(offset, length);
        try {
            return MdsColumns.read(Arrays.copyOfRange(table.array(), i, i + length));
        } catch (IOException | RuntimeException wrong) {
            throw new DamagedShardException(offset, "no description of the columns: " + wrong.getMessage());
        }
    }

    private static long unsigned(ShardWindow window, long offset) throws IOException {
        int i = window.load(offset, 4);
        return Integer.toUnsignedLong(little(window, i, 4).getInt());
    }

    private static ByteBuffer little(ShardWindow window, int i, int length) {
        return ByteBuffer.wrap(window.array(), i, length).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public @Nullable Sample next() throws IOException {
        if (count == samples) {
            return null;
        }
        var sample = sample(window, count);
        count++;
        return sample;
    }

    private Sample sample(ShardWindow in, long number) throws IOException {
        long start = unsigned(table, 4 + 4 * number);
        long end = unsigned(table, 8 + 4 * number);
        if (end < start || start < 4 + 4 * (samples + 1) || end > table.end()) {
            throw new DamagedShardException(4 + 4 * number, "sample %d from offset %d to %d, in a file of %d bytes"
                    .formatted(number, start, end, table.end()));
        }
        if (end - start <= ShardWindow.SIZE) {
            in.load(start, (int) (end - start));    // stays there for the fields
        }
        return sample(in, start, end, SampleNames.number(number));
    }

    @Override
    public boolean isNumbered() {
        return columns.columns().stream().noneMatch(column -> column.name().equals(MdsColumns.KEY));
    }

    @Override
    public long count() {
        return samples;
    }

    /** Reads the sample, in which its key is. */
    @Override
    public SamplePosition position(long number) throws IOException {
        Objects.checkIndex(number, samples);
        var before = position;
        sample(window, number);
        var found = position();
        position = before;
        return found;
    }

    private Sample sample(ShardWindow in, long start, long end, String number) throws IOException {
        var fields = new ArrayList<Field>();
        var positions = new ArrayList<FieldPosition>();
        String key = number;
        long sizes = start;
        long at = start + 4L * columns.variable();
        for (var column : columns.columns()) {
            boolean fixed = column.encoding().size() > 0;
            long size = fixed ? column.encoding().size() : at <= end ? unsigned(in, sizes) : 0;
            sizes += fixed ? 0 : 4;
            if (size > end - at) {
                throw new DamagedShardException(start, "column '%s' of %d bytes in a sample of %d"
                        .formatted(column.name(), size, end - start));
            }
            String text = fixed && size <= 8
                    ? column.encoding().decoded(little(in, in.load(at, (int) size), (int) size)) : null;
            if (column.name().equals(MdsColumns.KEY)) {
                key = text == null ? key(in, at, size) : text;
            } else if (text == null) {
                fields.add(new StoredField(column.name(), size, at, in));
                positions.add(new FieldPosition(column.name(), at, size));
            } else {
                fields.add(Field.of(column.name(), text.getBytes(US_ASCII)));
            }
            at += size;
        }
        if (at != end) {
            throw new DamagedShardException(start, "a sample of %d bytes whose columns have %d"
                    .formatted(end - start, at - start));
        }
        position = new SamplePosition(key, start, end - start, positions);
        return new Sample(key, fields);
    }

    private static String key(ShardWindow in, long at, long size) throws IOException {
        if (size > KEY_MAX) {
            throw new DamagedShardException(at, "a key of %d bytes".formatted(size));
        }
        int i = in.load(at, (int) size);
        return new String(in.array(), i, (int) size, UTF_8);
    }

    @Override
    public SamplePosition position() {
        return Objects.requireNonNull(position, "next() comes first");
    }

    @Override
    public Sample at(SamplePosition wanted) throws IOException {
        var before = position;
        var sample = sample(ShardWindow.of(source, wanted), wanted.offset(), wanted.offset() + wanted.length(),
                wanted.key());
        position = before;
        if (!sample.key().equals(wanted.key())) {
            throw new DamagedShardException(wanted.offset(), "the index has sample '%s' here, the shard '%s'"
                    .formatted(wanted.key(), sample.key()));
        }
        return sample;
    }

    @Override
    public void close() {}
}

package volsh.shard.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
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
 * Reads a shard of records in order, or any of them by its position. The names and sizes of a record are verified
 * before it is handed out, and that the index has the same; the bytes of a field are verified when its stream reaches
 * the end.
 */
final class RecordsReader implements IndexedReader {
    private static final int HEAD_MAX = 1 << 19;

    private final ByteSource source;
    private final ShardWindow window;
    private final ShardWindow rows;
    private final RecordsFile file;
    private long at = RecordsFile.BLOCK;
    private long count;
    private @Nullable SamplePosition position;

    RecordsReader(ByteSource source) throws IOException {
        this.source = source;
        this.window = ShardWindow.whole(source);
        this.rows = ShardWindow.whole(source);
        this.file = RecordsFile.read(rows);
    }

    @Override
    public long count() {
        return file.count();
    }

    @Override
    public SamplePosition position(long number) throws IOException {
        Objects.checkIndex(number, file.count());
        var row = row(number);
        long keyEnd = number + 1 == file.count() ? rows.end() - RecordsFile.BLOCK - file.keys() : row(number + 1).key();
        long length = keyEnd - row.key();
        if (row.key() < 0 || length < 0 || length > HEAD_MAX) {
            throw new DamagedShardException(file.index() + number * RecordsFile.ROW, "an invalid key in the index");
        }
        int i = rows.load(file.keys() + row.key(), (int) length);
        String key = new String(rows.array(), i, (int) length, UTF_8);
        return new SamplePosition(key, row.offset(), row.length(), List.of());
    }

    private record Row(long offset, long length, long key) {}

    private Row row(long number) throws IOException {
        int i = rows.load(file.index() + number * RecordsFile.ROW, RecordsFile.ROW);
        var row = ByteBuffer.wrap(rows.array(), i, RecordsFile.ROW).order(ByteOrder.LITTLE_ENDIAN);
        return new Row(row.getLong(), row.getLong(), row.getLong());
    }

    @Override
    public @Nullable Sample next() throws IOException {
        if (count == file.count()) {
            if (at != file.index()) {
                throw new DamagedShardException(at, "bytes between the last record and the index");
            }
            return null;
        }
        var sample = record(window, at, file.index());
        var row = row(count);
        if (row.offset() != position().offset() || row.length() != position().length()) {
            throw new DamagedShardException(at, "the index has record %d at offset %d with %d bytes, here it has %d"
                    .formatted(count, row.offset(), row.length(), position().length()));
        }
        count++;
        at += position().length();
        return sample;
    }

    private Sample record(ShardWindow in, long start, long end) throws IOException {
        var head = head(in, start, end);
        int keyLength = head.getShort() & 0xffff;
        int fieldCount = head.getShort() & 0xffff;
        try {
            String key = text(head, keyLength);
            var fields = new ArrayList<Field>(fieldCount);
            long offset = start + 8 + head.limit();
            for (int i = 0; i < fieldCount; i++) {
                long size = head.getLong();
                String name = text(head, head.getShort() & 0xffff);
                if (size < 0 || size > end - offset - 4) {
                    throw new DamagedShardException(start, "field '%s' of %d bytes where the shard has %d left"
                            .formatted(name, size, Math.max(0, end - offset - 4)));
                }
                fields.add(field(in, name, offset, size, start));
                offset += size + 4;
            }
            return placed(key, start, offset, fields);
        } catch (BufferUnderflowException wrong) {
            throw new DamagedShardException(start, "a record whose names are longer than it says");
        }
    }

    private static String text(ByteBuffer head, int length) {
        byte[] bytes = new byte[length];
        head.get(bytes);
        return new String(bytes, UTF_8);
    }

    private static ByteBuffer head(ShardWindow in, long start, long end) throws IOException {
        if (end - start < 12) {
            throw new DamagedShardException(start, "truncated: a record of less than 12 bytes");
        }
        int length = ByteBuffer.wrap(in.array(), in.load(start, 4), 4).order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (length < 4 || length > HEAD_MAX || length > end - start - 8) {
            throw new DamagedShardException(start, "a record with %d bytes of names".formatted(length));
        }
        int i = in.load(start, length + 8);
        int sum = Crc32c.of(in.array(), i, length + 4);
        if (ByteBuffer.wrap(in.array(), i + length + 4, 4).order(ByteOrder.LITTLE_ENDIAN).getInt() != sum) {
            throw new DamagedShardException(start, "the checksum of a record's names is wrong");
        }
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN).put(in.array(), i + 4, length).flip();
    }

    /** The checksum is behind the bytes: in the window with them unless the sample is large. */
    private static Field field(ShardWindow in, String name, long offset, long size, long start) throws IOException {
        int i = in.load(offset + size, 4, start);
        int sum = ByteBuffer.wrap(in.array(), i, 4).order(ByteOrder.LITTLE_ENDIAN).getInt();
        return new StoredField(name, size, offset, in, sum);
    }

    private Sample placed(String key, long start, long end, List<Field> fields) {
        position = new SamplePosition(key, start, end - start, fields.stream().map(StoredField.class::cast)
                .map(field -> new FieldPosition(field.name(), field.offset(), field.size())).toList());
        return new Sample(key, fields);
    }

    @Override
    public SamplePosition position() {
        return Objects.requireNonNull(position, "next() comes first");
    }

    @Override
    public Sample at(SamplePosition wanted) throws IOException {
        var before = position;
        var sample = record(ShardWindow.of(source, wanted), wanted.offset(), wanted.offset() + wanted.length());
        long length = position().length();
        position = before;
        if (length != wanted.length() || !sample.key().equals(wanted.key())) {
            throw new DamagedShardException(wanted.offset(), "the index has sample '%s' here, the shard '%s', %d bytes"
                    .formatted(wanted.key(), sample.key(), length));
        }
        return sample;
    }

    @Override
    public void close() {}
}

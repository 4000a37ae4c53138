package volsh.shard.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;
import volsh.shard.SampleWriter;

/** Records with checksums, and at the end an index by which each can be found: see {@link RecordsFile}. */
final class RecordsWriter implements SampleWriter {
    private final ShardOutput out;
    private final ByteArrayOutputStream rows = new ByteArrayOutputStream();
    private final ByteArrayOutputStream keys = new ByteArrayOutputStream();
    private long count;

    RecordsWriter(OutputStream target) throws IOException {
        this.out = new ShardOutput(target);
        out.write(RecordsFile.header());
    }

    static long storedSize(Sample sample) {
        long size = 12 + 2L * sample.key().getBytes(UTF_8).length + RecordsFile.ROW;
        for (var field : sample.fields()) {
            size += 14 + field.name().getBytes(UTF_8).length + field.size();
        }
        return size;
    }

    @Override
    public SamplePosition add(Sample sample) throws IOException {
        SampleNames.requireFit(sample);
        byte[] head = head(sample);
        long start = out.begin(head.length + sample.size() + 4L * sample.fields().size());
        var fields = new ArrayList<FieldPosition>(sample.fields().size());
        try {
            out.write(head);
            for (var field : sample.fields()) {
                fields.add(new FieldPosition(field.name(), out.position(), field.size()));
                var sum = new CRC32C();
                out.copy(field, sum);
                int at = out.reserve(4);
                ByteBuffer.wrap(out.array(), at, 4).order(ByteOrder.LITTLE_ENDIAN).putInt((int) sum.getValue());
            }
        } catch (UnreadableFieldException failed) {
            throw out.takeBack(start, failed);
        }
        index(sample.key(), start, out.position() - start);
        return new SamplePosition(sample.key(), start, out.position() - start, fields);
    }

    /** Length of what follows up to the checksum, key, fields with their names and sizes, checksum. */
    private static byte[] head(Sample sample) {
        byte[] key = sample.key().getBytes(UTF_8);
        var names = sample.fields().stream().map(field -> field.name().getBytes(UTF_8)).toList();
        int length = 4 + key.length + names.stream().mapToInt(name -> name.length + 10).sum();
        var head = ByteBuffer.allocate(4 + length + 4).order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(length).putShort((short) key.length).putShort((short) names.size()).put(key);
        for (int i = 0; i < names.size(); i++) {
            head.putLong(sample.fields().get(i).size()).putShort((short) names.get(i).length).put(names.get(i));
        }
        return head.putInt(Crc32c.of(head.array(), 0, head.position())).array();
    }

    private void index(String key, long offset, long length) {
        rows.writeBytes(ByteBuffer.allocate(RecordsFile.ROW).order(ByteOrder.LITTLE_ENDIAN).putLong(offset)
                .putLong(length).putLong(keys.size()).array());
        keys.writeBytes(key.getBytes(UTF_8));
        count++;
    }

    @Override
    public void finish() throws IOException {
        long index = out.position();
        var sum = new CRC32C();
        var summed = new CheckedOutputStream(out, sum);
        rows.writeTo(summed);
        keys.writeTo(summed);
        out.write(new RecordsFile(index, index + rows.size(), count, (int) sum.getValue()).footer());
        out.finish();
    }
}

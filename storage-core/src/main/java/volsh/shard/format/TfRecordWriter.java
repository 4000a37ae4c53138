package volsh.shard.format;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;
import volsh.shard.SampleWriter;
import volsh.shard.UnfitSampleException;
import volsh.shard.format.ExampleParts.Part;

/** Records of TensorFlow: length, its masked CRC-32C, bytes, their masked CRC-32C. */
final class TfRecordWriter implements SampleWriter {
    /** What a record takes besides its bytes. */
    static final int OVERHEAD = 16;

    private final ShardOutput out;
    private final boolean raw;

    TfRecordWriter(OutputStream target, boolean raw) {
        this.out = new ShardOutput(target);
        this.raw = raw;
    }

    static long storedSize(Sample sample, boolean raw) {
        return OVERHEAD + (raw ? sample.size() : ExampleParts.estimate(sample));
    }

    @Override
    public SamplePosition add(Sample sample) throws IOException {
        var parts = raw ? rawParts(sample) : ExampleParts.of(sample);
        long start = out.begin(OVERHEAD + parts.length());
        var fields = new ArrayList<FieldPosition>();
        var sum = new CRC32C();
        try {
            head(parts.length());
            for (var part : parts.parts()) {
                sum.update(part.prefix());
                out.write(part.prefix());
                if (part.content() != null) {
                    fields.add(new FieldPosition(part.content().name(), out.position(), part.content().size()));
                    out.copy(part.content(), sum);
                }
            }
            number(4).putInt(Crc32c.masked((int) sum.getValue()));
        } catch (UnreadableFieldException failed) {
            throw out.takeBack(start, failed);
        }
        return new SamplePosition(sample.key(), start, out.position() - start, fields);
    }

    private static ExampleParts rawParts(Sample sample) throws UnfitSampleException {
        if (sample.fields().size() != 1) {
            throw new UnfitSampleException("it has %d fields, a raw record is one".formatted(sample.fields().size()));
        }
        var field = sample.fields().getFirst();
        return new ExampleParts(List.of(new Part(new byte[0], field)), field.size());
    }

    private void head(long length) throws IOException {
        var head = number(12).putLong(length);
        head.putInt(Crc32c.masked(Crc32c.of(out.array(), head.position() - 8, 8)));
    }

    private ByteBuffer number(int bytes) throws IOException {
        int at = out.reserve(bytes);
        return ByteBuffer.wrap(out.array(), at, bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void finish() throws IOException {
        out.finish();
    }
}

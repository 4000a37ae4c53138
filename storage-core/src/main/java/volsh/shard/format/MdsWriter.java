package volsh.shard.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import volsh.shard.Field;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;
import volsh.shard.SampleWriter;
import volsh.shard.UnfitSampleException;
import volsh.shard.format.MdsColumns.Column;

/**
 * A shard of MosaicML Streaming: number of samples, their offsets, a description of the columns, the samples. The table
 * of offsets comes first, so the samples wait in a {@link Spool}. All samples of a shard have the fields of the first.
 */
final class MdsWriter implements SampleWriter {
    private static final long SHARD_MAX = 0xffff_ffffL;

    private final FormatOptions options;
    private final OutputStream target;
    private final Spool spool = new Spool();
    private final ShardOutput out = new ShardOutput(spool);
    private int[] ends = new int[256];
    private int count;
    private @Nullable MdsColumns columns;
    private byte[] description = {};

    MdsWriter(FormatOptions options, OutputStream target) {
        this.options = options;
        this.target = target;
    }

    static long storedSize(Sample sample) {
        return sample.size() + sample.key().length() + 8 + 4L * sample.fields().size();
    }

    @Override
    public SamplePosition add(Sample sample) throws IOException {
        SampleNames.requireFit(sample);
        var shape = columns == null ? MdsColumns.of(sample, options.encodings()) : columns;
        byte[] text = columns == null ? shape.description() : description;
        var values = values(sample, shape);
        long size = 4L * shape.variable() + values.stream().mapToLong(Field::size).sum();
        if (position(text.length, count + 1) + out.position() + size > SHARD_MAX) {
            throw new UnfitSampleException("an MDS shard is smaller than 4 GiB");
        }
        long start = out.begin(size);
        var positions = new ArrayList<FieldPosition>();
        long base = position(text.length, options.samples().orElse(0));
        try {
            sizes(shape, values);
            for (int i = 0; i < values.size(); i++) {
                var value = values.get(i);
                if (isStored(shape.columns().get(i))) {
                    positions.add(new FieldPosition(value.name(), base + out.position(), value.size()));
                }
                out.copy(value, null);
            }
        } catch (UnreadableFieldException failed) {
            throw out.takeBack(start, failed);
        }
        columns = shape;
        description = text;
        ends = count == ends.length ? Arrays.copyOf(ends, 2 * count) : ends;
        ends[count++] = (int) out.position();
        return new SamplePosition(sample.key(), base + start, size, positions);
    }

    private static boolean isStored(Column column) {
        return column.encoding().size() == 0 && !column.name().equals(MdsColumns.KEY);
    }

    /** Where samples begin in a shard of this many. */
    private static long position(int description, long samples) {
        return 4 + 4 * (samples + 1) + description;
    }

    private static List<Field> values(Sample sample, MdsColumns shape) throws UnfitSampleException {
        var fields = sample.fields().stream().collect(Collectors.toMap(Field::name, field -> field));
        fields.put(MdsColumns.KEY, Field.of(MdsColumns.KEY, sample.key().getBytes(UTF_8)));
        var values = new ArrayList<Field>();
        for (var column : shape.columns()) {
            var field = fields.remove(column.name());
            if (field == null) {
                throw new UnfitSampleException("it has no field '%s', but samples before it in the shard have one"
                        .formatted(column.name()));
            }
            values.add(column.encoding().encoded(field));
        }
        if (!fields.isEmpty()) {
            throw new UnfitSampleException("it has a field '%s', but samples before it in the shard have none"
                    .formatted(fields.keySet().stream().sorted().findFirst().orElseThrow()));
        }
        return values;
    }

    private void sizes(MdsColumns shape, List<Field> values) throws IOException {
        for (int i = 0; i < values.size(); i++) {
            if (shape.columns().get(i).encoding().size() == 0) {
                int at = out.reserve(4);
                ByteBuffer.wrap(out.array(), at, 4).order(ByteOrder.LITTLE_ENDIAN).putInt((int) values.get(i).size());
            }
        }
    }

    @Override
    public void finish() throws IOException {
        if (columns == null) {
            columns = new MdsColumns(List.of());
            description = columns.description();
        }
        out.flush();
        long first = position(description.length, count);
        var table = ByteBuffer.allocate(4 + 4 * (count + 1)).order(ByteOrder.LITTLE_ENDIAN);
        table.putInt(count).putInt((int) first);
        for (int i = 0; i < count; i++) {
            table.putInt((int) (first + Integer.toUnsignedLong(ends[i])));
        }
        target.write(table.array());
        target.write(description);
        spool.drainTo(target);
        target.flush();
    }

    @Override
    public long displacement() {
        return 4 * (count - options.samples().orElse(0));
    }

    @Override
    public Map<String, Object> facts() {
        return columns == null ? Map.of() : columns.facts();
    }
}

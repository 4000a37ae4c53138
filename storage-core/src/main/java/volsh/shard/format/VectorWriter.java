package volsh.shard.format;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import volsh.shard.Field;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;
import volsh.shard.SampleWriter;
import volsh.shard.UnfitSampleException;
import volsh.shard.VectorType;

/**
 * Vectors of one length behind a header ({@code SHARD001}), for mmap. Their number comes first, so they wait in a
 * {@link Spool}. A vector is a field of raw numbers, an array of numpy, or text.
 */
final class VectorWriter implements SampleWriter {
    private static final Pattern NPY = Pattern.compile(
            "\\{'descr': '([<|])(\\w\\d)', 'fortran_order': False, 'shape': \\(.*\\), \\}\\s*");

    private final VectorType type;
    private final OutputStream target;
    private final Spool spool = new Spool();
    private final ShardOutput out = new ShardOutput(spool);
    private long count;
    private long size;

    VectorWriter(FormatOptions options, OutputStream target) {
        this.type = options.vectors();
        this.target = target;
    }

    @Override
    public SamplePosition add(Sample sample) throws IOException {
        if (sample.fields().size() != 1) {
            throw new UnfitSampleException("it has %d fields, a vector is one".formatted(sample.fields().size()));
        }
        var vector = vector(sample.fields().getFirst());
        if (vector.size() == 0 || vector.size() % type.bytes() != 0) {
            throw new UnfitSampleException("its %d bytes are not a vector of %s"
                    .formatted(vector.size(), type.field()));
        }
        if (count > 0 && vector.size() != size) {
            throw new UnfitSampleException("its vector has %d numbers, those before it in the shard %d"
                    .formatted(vector.size() / type.bytes(), size / type.bytes()));
        }
        long start = out.begin(vector.size());
        try {
            out.copy(vector, null);
        } catch (UnreadableFieldException failed) {
            throw out.takeBack(start, failed);
        }
        size = vector.size();
        count++;
        return new SamplePosition(sample.key(), FixedHeader.BLOCK + start, size,
                List.of(new FieldPosition(type.field(), FixedHeader.BLOCK + start, size)));
    }

    private Field vector(Field field) throws UnfitSampleException {
        String kind = field.name().substring(field.name().lastIndexOf('.') + 1);
        if (kind.equals(type.field()) || kind.equals("bin") || kind.equals("raw")) {
            return field;
        }
        return switch (kind) {
            case "npy" -> Field.of(field.name(), array(NumberText.content(field)));
            case "txt", "csv", "json", "jsonl" -> Field.of(field.name(), parsed(field));
            default -> throw new UnfitSampleException("field '%s' is not a vector: neither .%s, .bin, .npy nor text"
                    .formatted(field.name(), type.field()));
        };
    }

    private byte[] parsed(Field field) throws UnfitSampleException {
        var bytes = new ByteArrayOutputStream();
        var one = ByteBuffer.allocate(type.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        NumberText.each(field, text -> {
            type.put(one.clear(), text);
            bytes.write(one.array(), 0, type.bytes());
        });
        return bytes.toByteArray();
    }

    /** The numbers of a .npy file: magic, version, length of the description, description, numbers. */
    private byte[] array(byte[] npy) throws UnfitSampleException {
        var in = ByteBuffer.wrap(npy).order(ByteOrder.LITTLE_ENDIAN);
        if (npy.length >= 12 && in.getInt(0) == 0x4d554e93 && in.getShort(4) == 0x5950) {
            long length = npy[6] == 1 ? in.getShort(8) & 0xffff : Integer.toUnsignedLong(in.getInt(8));
            int from = npy[6] == 1 ? 10 : 12;
            if (length <= npy.length - from) {
                var description = NPY.matcher(new String(npy, from, (int) length, US_ASCII));
                if (description.matches() && description.group(2).equals(type.numpy())) {
                    return Arrays.copyOfRange(npy, from + (int) length, npy.length);
                }
            }
        }
        throw new UnfitSampleException("not an array of numpy in C order with numbers of type " + type.field());
    }

    @Override
    public void finish() throws IOException {
        out.flush();
        var header = FixedHeader.begun(FixedHeader.VECTORS, ByteOrder.BIG_ENDIAN).putLong(count)
                .putLong(Math.max(1, size / type.bytes())).put(type.field().getBytes(US_ASCII));
        header.order(ByteOrder.LITTLE_ENDIAN).putInt(32, spool.sum());
        target.write(FixedHeader.sealed(header));
        spool.drainTo(target);
        target.flush();
    }

    @Override
    public Map<String, Object> facts() {
        return Map.of("dtype", "<" + type.numpy(), "sample_dim", size / type.bytes(), "offset",
                (long) FixedHeader.BLOCK);
    }
}

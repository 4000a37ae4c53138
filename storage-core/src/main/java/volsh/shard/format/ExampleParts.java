package volsh.shard.format;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.shard.Field;
import volsh.shard.Sample;
import volsh.shard.UnfitSampleException;

/**
 * A {@code tf.train.Example} as it is encoded: bytes that are known, and fields whose bytes follow them. A field is a
 * feature of one bytes value, {@code cls} with a whole number one of an int64 value, the key the feature {@code
 * __key__}.
 */
record ExampleParts(List<Part> parts, long length) {
    static final String KEY = "__key__";
    private static final long LENGTH_MAX = Integer.MAX_VALUE;
    private static final int DIGITS_MAX = 20;
    private static final int BYTES = 0x0a;
    private static final int VALUE = 0x12;
    private static final int INTEGERS = 0x1a;

    /** Bytes, and the field that follows them or null. */
    record Part(byte[] prefix, @Nullable Field content) {}

    static ExampleParts of(Sample sample) throws UnfitSampleException {
        SampleNames.requireFit(sample);
        var parts = new ArrayList<Part>();
        byte[] key = sample.key().getBytes(UTF_8);
        parts.add(new Part(joined(bytes(KEY, key.length), key), null));
        for (var field : sample.fields()) {
            if (field.name().equals(KEY)) {
                throw new UnfitSampleException("no field can be called %s, which is the key".formatted(KEY));
            }
            parts.add(part(field));
        }
        long length = length(parts);
        if (length > LENGTH_MAX) {
            throw new UnfitSampleException("a tf.train.Example is smaller than 2 GiB; raw records are not limited");
        }
        parts.addFirst(new Part(tagged(BYTES, length), null));
        return new ExampleParts(parts, length(parts));
    }

    /** What {@link #length} would be, up to a few bytes, without reading anything. */
    static long estimate(Sample sample) {
        long length = sample.key().length() + 32L;
        for (var field : sample.fields()) {
            length += field.size() + field.name().length() + 24;
        }
        return length;
    }

    private static long length(List<Part> parts) {
        long length = 0;
        for (var part : parts) {
            length += part.prefix().length + (part.content() == null ? 0 : part.content().size());
        }
        return length;
    }

    private static Part part(Field field) throws UnfitSampleException {
        Long number = field.name().equals("cls") && field.size() <= DIGITS_MAX ? number(field) : null;
        return number == null ? new Part(bytes(field.name(), field.size()), field)
                : new Part(integer(field.name(), number), null);
    }

    /** The number, if writing it gives the same bytes again. */
    private static @Nullable Long number(Field field) throws UnfitSampleException {
        try (var in = field.open()) {
            String text = new String(in.readAllBytes(), US_ASCII);
            long value = Long.parseLong(text);
            return Long.toString(value).equals(text) ? value : null;
        } catch (NumberFormatException other) {
            return null;
        } catch (IOException failed) {
            throw new UnreadableFieldException(field, failed).unfit();
        }
    }

    /** An entry of the map up to its value: the lengths of all messages around it are known. */
    private static byte[] bytes(String name, long size) {
        byte[] value = tagged(BYTES, size);
        byte[] list = tagged(BYTES, size + value.length);
        return joined(entry(name, size + value.length + list.length), list, value);
    }

    private static byte[] integer(String name, long number) {
        byte[] digits = varint(number);
        byte[] value = joined(tagged(BYTES, digits.length), digits);
        byte[] list = joined(tagged(INTEGERS, value.length), value);
        return joined(entry(name, list.length), list);
    }

    private static byte[] entry(String name, long feature) {
        byte[] bytes = name.getBytes(UTF_8);
        byte[] key = joined(tagged(BYTES, bytes.length), bytes);
        byte[] value = tagged(VALUE, feature);
        return joined(tagged(BYTES, key.length + value.length + feature), key, value);
    }

    private static byte[] tagged(int tag, long length) {
        return joined(new byte[] {(byte) tag}, varint(length));
    }

    private static byte[] varint(long number) {
        var bytes = new ByteArrayOutputStream(10);
        long left = number;
        for (; (left & ~0x7fL) != 0; left >>>= 7) {
            bytes.write((int) (left & 0x7f | 0x80));
        }
        bytes.write((int) left);
        return bytes.toByteArray();
    }

    private static byte[] joined(byte[]... pieces) {
        var bytes = new ByteArrayOutputStream();
        for (byte[] piece : pieces) {
            bytes.writeBytes(piece);
        }
        return bytes.toByteArray();
    }
}

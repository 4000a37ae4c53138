package volsh.shard.format;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.shard.Field;
import volsh.shard.UnfitSampleException;

/**
 * How the values of an MDS column are stored. Numbers are fields of text here, everything else is as it is in the
 * shard.
 *
 * @param size how many bytes every value has, or 0 if each has its own length
 */
record MdsEncoding(String name, int size) {
    private static final Set<String> WRITABLE = Set.of("bytes", "str", "json", "int", "jpeg", "png");
    private static final int TEXT_MAX = 16 << 20;

    static MdsEncoding of(String name, int size) {
        return new MdsEncoding(name, size);
    }

    static MdsEncoding writable(String name) throws UnfitSampleException {
        if (!WRITABLE.contains(name)) {
            throw new UnfitSampleException("encoding '%s' is none of %s".formatted(name,
                    String.join(", ", WRITABLE.stream().sorted().toList())));
        }
        return new MdsEncoding(name, name.equals("int") ? 8 : 0);
    }

    /** The encoding of a field, by the last extension in its name. */
    static String usual(String field) {
        return switch (field.substring(field.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT)) {
            case "cls" -> "int";
            case "txt" -> "str";
            case "json" -> "json";
            case "jpg", "jpeg" -> "jpeg";
            case "png" -> "png";
            default -> "bytes";
        };
    }

    /** The field as it is stored: other bytes, or the same after a look at them. */
    Field encoded(Field field) throws UnfitSampleException {
        return switch (name) {
            case "int" -> Field.of(field.name(), integer(field));
            case "str", "json" -> text(field);
            default -> field;
        };
    }

    private static byte[] integer(Field field) throws UnfitSampleException {
        String text = field.size() > 20 ? "" : new String(content(field), US_ASCII);
        try {
            long value = Long.parseLong(text);
            if (Long.toString(value).equals(text)) {
                return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
            }
        } catch (NumberFormatException other) {
            // said below
        }
        throw new UnfitSampleException("field '%s' is not just a whole number; encode it as 'bytes'"
                .formatted(field.name()));
    }

    private static Field text(Field field) throws UnfitSampleException {
        if (field.size() <= TEXT_MAX) {
            byte[] bytes = content(field);
            try {
                UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
                return Field.of(field.name(), bytes);
            } catch (CharacterCodingException wrong) {
                // said below
            }
        }
        throw new UnfitSampleException("field '%s' is not UTF-8 or too long; encode it as 'bytes'"
                .formatted(field.name()));
    }

    private static byte[] content(Field field) throws UnfitSampleException {
        try (var in = field.open()) {
            return in.readAllBytes();
        } catch (IOException failed) {
            throw new UnreadableFieldException(field, failed).unfit();
        }
    }

    /** The text of a number that is stored as these bytes; null if this encoding is not of numbers. */
    @Nullable String decoded(ByteBuffer stored) {
        var bytes = stored.order(ByteOrder.LITTLE_ENDIAN);
        return switch (name) {
            case "int", "int64" -> size == 8 ? Long.toString(bytes.getLong()) : null;
            case "uint64" -> size == 8 ? Long.toUnsignedString(bytes.getLong()) : null;
            case "int32" -> size == 4 ? Integer.toString(bytes.getInt()) : null;
            case "uint32" -> size == 4 ? Integer.toUnsignedString(bytes.getInt()) : null;
            case "int16" -> size == 2 ? Short.toString(bytes.getShort()) : null;
            case "uint16" -> size == 2 ? Integer.toString(bytes.getShort() & 0xffff) : null;
            case "int8" -> size == 1 ? Byte.toString(bytes.get()) : null;
            case "uint8" -> size == 1 ? Integer.toString(bytes.get() & 0xff) : null;
            case "float64" -> size == 8 ? Double.toString(bytes.getDouble()) : null;
            case "float32" -> size == 4 ? Float.toString(bytes.getFloat()) : null;
            default -> null;
        };
    }
}

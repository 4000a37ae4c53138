package volsh.shard;

import java.nio.ByteBuffer;
import java.util.Locale;

/** The type of the numbers in an mmap shard. Little endian, as numpy writes them on the machines that train. */
public enum VectorType {
    F64(8, "f8"), F32(4, "f4"), F16(2, "f2"), I64(8, "i8"), I32(4, "i4"), I16(2, "i2"), I8(1, "i1"), U8(1, "u1");

    private final int bytes;
    private final String numpy;

    VectorType(int bytes, String numpy) {
        this.bytes = bytes;
        this.numpy = numpy;
    }

    public int bytes() {
        return bytes;
    }

    /** What numpy calls it, without the byte order. */
    public String numpy() {
        return numpy;
    }

    /** What fields of such numbers are called: {@code f32}. */
    public String field() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Appends the number that a text says. @throws NumberFormatException if it is none, or out of range */
    public void put(ByteBuffer target, String text) {
        switch (this) {
            case F64 -> target.putDouble(Double.parseDouble(text));
            case F32 -> target.putFloat(Float.parseFloat(text));
            case F16 -> target.putShort(Float.floatToFloat16(Float.parseFloat(text)));
            case I64 -> target.putLong(Long.parseLong(text));
            case I32 -> target.putInt(Integer.parseInt(text));
            case I16 -> target.putShort(Short.parseShort(text));
            case I8 -> target.put(Byte.parseByte(text));
            case U8 -> target.put(unsigned(text));
        }
    }

    private static byte unsigned(String text) {
        int value = Integer.parseInt(text);
        if (value < 0 || value > 255) {
            throw new NumberFormatException("%s is not from 0 to 255".formatted(text));
        }
        return (byte) value;
    }
}

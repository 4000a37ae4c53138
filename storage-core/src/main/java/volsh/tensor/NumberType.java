package volsh.tensor;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;

/** The type of a tensor's numbers. Little endian, as in all tensor files. */
public enum NumberType {
    F64(8), F32(4), F16(2), BF16(2), I64(8), I32(4), I16(2), I8(1), U64(8), U32(4), U16(2), U8(1), BOOL(1), F8_E4M3(1),
    F8_E5M2(1), UNKNOWN(1);

    private final int bytes;

    NumberType(int bytes) {
        this.bytes = bytes;
    }

    public int bytes() {
        return bytes;
    }

    static NumberType of(String name) {
        for (var type : values()) {
            if (type.name().equals(name.toUpperCase(Locale.ROOT))) {
                return type;
            }
        }
        return UNKNOWN;
    }

    /** Whether it can be NaN or infinite. For other types nothing is counted. */
    public boolean isReal() {
        return this == F64 || this == F32 || this == F16 || this == BF16;
    }

    /** The number at this index of the buffer, read as little endian; for real types only. */
    public double real(ByteBuffer from, int at) {
        var bytes = from.order() == ByteOrder.LITTLE_ENDIAN ? from : from.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        return switch (this) {
            case F64 -> bytes.getDouble(at);
            case F32 -> bytes.getFloat(at);
            case F16 -> Float.float16ToFloat(bytes.getShort(at));
            case BF16 -> Float.intBitsToFloat(bytes.getShort(at) << 16);
            default -> throw new IllegalArgumentException("not a real type: " + this);
        };
    }
}

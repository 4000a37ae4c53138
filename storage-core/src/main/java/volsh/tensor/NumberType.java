package volsh.tensor;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;

/** What the numbers of a tensor are. Little endian, as all files of tensors have them. */
public enum NumberType {
    F64(8), F32(4), F16(2), BF16(2), I64(8), I32(4), I16(2), I8(1), U64(8), U32(4), U16(2), U8(1), BOOL(1), F8_E4M3(1), F8_E5M2(1), UNKNOWN(1);

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

    /** Can it be something that is no number? Of other types nothing is counted. */
    public boolean isReal() {
        return this == F64 || this == F32 || this == F16 || this == BF16;
    }

    /** The number at this index of the buffer, which is taken as little endian; of real types only. */
    public double real(ByteBuffer from, int at) {
        var bytes = from.order() == ByteOrder.LITTLE_ENDIAN ? from : from.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        return switch (this) {
            case F64 -> bytes.getDouble(at);
            case F32 -> bytes.getFloat(at);
            case F16 -> Float.float16ToFloat(bytes.getShort(at));
            case BF16 -> Float.intBitsToFloat(bytes.getShort(at) << 16);
            default -> throw new IllegalArgumentException("no real number: " + this);
        };
    }
}

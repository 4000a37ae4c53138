package volsh.codec;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Numbers in as few bytes as they need: seven bits to a byte, lowest first, the high bit set on all but the last. */
final class Varint {
    private Varint() {}

    static void write(ByteArrayOutputStream target, int value) {
        int rest = value;
        for (; (rest & ~0x7f) != 0; rest >>>= 7) {
            target.write(rest & 0x7f | 0x80);
        }
        target.write(rest);
    }

    /** Small differences of either sign stay short. */
    static void writeSigned(ByteArrayOutputStream target, int value) {
        write(target, value << 1 ^ value >> 31);
    }

    static int read(ByteBuffer source) throws CorruptBlockException {
        int value = 0;
        for (int shift = 0; shift <= 28; shift += 7) {
            if (!source.hasRemaining()) {
                throw new CorruptBlockException("frame index is cut short");
            }
            byte next = source.get();
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new CorruptBlockException("frame index has a number that is too long");
    }

    static int readSigned(ByteBuffer source) throws CorruptBlockException {
        int value = read(source);
        return value >>> 1 ^ -(value & 1);
    }
}

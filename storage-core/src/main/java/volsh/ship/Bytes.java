package volsh.ship;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Encodes numbers, seven bits per byte, lowest first, and byte strings: a length, then the bytes. */
final class Bytes {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(256);

    Bytes one(byte value) {
        out.write(value);
        return this;
    }

    Bytes number(long value) {
        long rest = value;
        for (; (rest & ~0x7fL) != 0; rest >>>= 7) {
            out.write((int) (rest & 0x7f | 0x80));
        }
        out.write((int) rest);
        return this;
    }

    Bytes text(byte[] bytes) {
        number(bytes.length);
        out.writeBytes(bytes);
        return this;
    }

    int size() {
        return out.size();
    }

    byte[] toBytes() {
        return out.toByteArray();
    }

    /** @throws java.nio.BufferUnderflowException if the bytes end before the number does */
    static long number(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = in.get();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("number too long");
    }

    static byte[] text(ByteBuffer in) {
        long length = number(in);
        if (length < 0 || length > in.remaining()) {
            throw new IllegalArgumentException("truncated: %d bytes expected, %d left"
                    .formatted(length, in.remaining()));
        }
        byte[] bytes = new byte[(int) length];
        in.get(bytes);
        return bytes;
    }
}

package volsh.codec;

import java.nio.ByteBuffer;

/** The sixteen bytes before a frame's payload: lengths, how it was written, and a checksum over both and more. */
record FrameHeader(int payloadLength, int rawLength, int method, int flags, int checksum) {
    static final int LENGTH = 16;
    static final int CHECKSUM_AT = 12;
    private static final int ENCRYPTED = 1 << 16;

    static FrameHeader read(ByteBuffer stored) {
        int flags = Byte.toUnsignedInt(stored.get(9)) << 16 | Short.toUnsignedInt(stored.getShort(10));
        return new FrameHeader(stored.getInt(0), stored.getInt(4), stored.get(8), flags, stored.getInt(CHECKSUM_AT));
    }

    /** Writes all but the checksum, which needs the payload. */
    static void write(ByteBuffer stored, int payloadLength, int rawLength, FrameMethod method, boolean encrypted) {
        stored.putInt(0, payloadLength).putInt(4, rawLength);
        stored.put(8, method.code()).put(9, (byte) (encrypted ? 1 : 0)).putShort(10, (short) 0);
    }

    boolean isEncrypted() {
        return (flags & ENCRYPTED) != 0;
    }

    boolean hasUnknownFlags() {
        return (flags & ~ENCRYPTED) != 0;
    }

    /** Of the frame at 0 of {@code stored}. */
    static boolean isEncrypted(ByteBuffer stored) {
        return (stored.get(9) & 1) != 0;
    }
}

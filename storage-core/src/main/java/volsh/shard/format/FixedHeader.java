package volsh.shard.format;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Blocks of 64 bytes at the beginning or end of a shard. The last four bytes are the CRC-32C of the others. */
final class FixedHeader {
    static final int BLOCK = 64;
    static final byte[] TOKENS = "VOLTOK01".getBytes(US_ASCII);
    static final byte[] VECTORS = "SHARD001".getBytes(US_ASCII);
    private static final int SUM = BLOCK - 4;

    private FixedHeader() {}

    static ByteBuffer begun(byte[] magic, ByteOrder order) {
        return ByteBuffer.allocate(BLOCK).order(order).put(magic);
    }

    static byte[] sealed(ByteBuffer block) {
        byte[] bytes = new byte[BLOCK];
        block.get(0, bytes);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(SUM, Crc32c.of(bytes, 0, SUM));
        return bytes;
    }

    static boolean isSealed(byte[] block) {
        return ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).getInt(SUM) == Crc32c.of(block, 0, SUM);
    }

    static boolean begins(byte[] start, byte[] magic) {
        return start.length >= magic.length && Arrays.equals(start, 0, magic.length, magic, 0, magic.length);
    }
}

package volsh.place;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * A shard of a block as it is stored: its bytes, then a 32-byte trailer that describes them. It follows the bytes, so
 * that offsets in the block do not shift. Docs: FORMAT.md, section 9.
 */
record Shard(long block, int shard, int data, int parity, long stored) {
    static final int TRAILER = 32;

    private static final int MAGIC = 0x56534853;   // VSHS
    private static final byte VERSION = 1;
    private static final int STORED = 16;
    private static final int PAYLOAD_CHECKSUM = 24;
    private static final int CHECKSUM = 28;

    /** Bytes of each shard except perhaps the last data shards: the block in {@code data} pieces, rounded up. */
    static int length(long stored, int data) {
        return Math.toIntExact((stored + data - 1) / data);
    }

    /** Bytes of this shard, without the trailer. */
    int length() {
        int each = length(stored, data);
        return shard >= data ? each : Math.clamp(stored - (long) shard * each, 0, each);
    }

    /** Writes the trailer after the payload, which fills the rest of {@code object} from its start. */
    void seal(ByteBuffer object) {
        int length = length();
        var trailer = object.slice(length, TRAILER);
        trailer.putInt(MAGIC).put(VERSION).put((byte) shard).put((byte) data).put((byte) parity).putLong(block)
                .putLong(stored);
        trailer.putInt(checksum(trailer.slice(0, PAYLOAD_CHECKSUM), object.slice(0, length)));
        trailer.putInt(checksum(trailer.slice(0, CHECKSUM)));
    }

    /** Whether these bytes, trailer included, are this shard. */
    boolean isRight(ByteBuffer object) {
        int length = length();
        if (object.remaining() != length + TRAILER) {
            return false;
        }
        var trailer = object.slice(object.position() + length, TRAILER);
        var expected = ByteBuffer.allocate(TRAILER);
        expected.putInt(MAGIC).put(VERSION).put((byte) shard).put((byte) data).put((byte) parity).putLong(block)
                .putLong(stored);
        expected.putInt(checksum(expected.slice(0, PAYLOAD_CHECKSUM), object.slice(object.position(), length)));
        expected.putInt(checksum(expected.slice(0, CHECKSUM)));
        return expected.flip().equals(trailer);
    }

    /** The length of the block if these bytes, trailer included, are this shard of it; otherwise empty. */
    static OptionalLong stored(long block, int shard, int data, int parity, ByteBuffer object) {
        if (object.remaining() < TRAILER) {
            return OptionalLong.empty();
        }
        long stored = object.getLong(object.limit() - TRAILER + STORED);
        boolean right = stored > 0 && stored <= (long) data * object.remaining()
                && new Shard(block, shard, data, parity, stored).isRight(object);
        return right ? OptionalLong.of(stored) : OptionalLong.empty();
    }

    /** The length of the block, as recorded in the trailer of a shard. */
    static long stored(ByteBuffer trailer) throws IOException {
        if (trailer.remaining() != TRAILER || checksum(trailer.slice(0, CHECKSUM)) != trailer.getInt(CHECKSUM)) {
            throw new IOException("shard corrupt: its trailer does not record the length of its block");
        }
        return trailer.getLong(STORED);
    }

    private static int checksum(ByteBuffer... parts) {
        var crc = new CRC32C();
        for (var part : parts) {
            crc.update(part);
        }
        return (int) crc.getValue();
    }
}

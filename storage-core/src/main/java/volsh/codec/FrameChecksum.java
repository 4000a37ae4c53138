package volsh.codec;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC32C over which frame this is (volume, block, frame number, raw offset), its header and its payload. A frame that
 * was moved, within its block or to another, has the wrong checksum; so has one whose index lies about where it belongs.
 * One thread at a time.
 */
class FrameChecksum {
    private final CRC32C crc = new CRC32C();
    private final byte[] seed = new byte[32];
    private final ByteBuffer seedView = ByteBuffer.wrap(seed);

    /** The checksum of the frame whose header begins at 0 of {@code stored}. */
    int of(BlockIdentity identity, int frame, int rawOffset, ByteBuffer stored, int payloadLength) {
        seedView.putLong(0, identity.volume().getMostSignificantBits())
                .putLong(8, identity.volume().getLeastSignificantBits())
                .putLong(16, identity.block())
                .putInt(24, frame)
                .putInt(28, rawOffset);
        crc.reset();
        crc.update(seed);
        crc.update(stored.limit(FrameHeader.CHECKSUM_AT).position(0));
        crc.update(stored.limit(FrameHeader.LENGTH + payloadLength).position(FrameHeader.LENGTH));
        return (int) crc.getValue();
    }
}

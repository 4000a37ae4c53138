package volsh.codec;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * CRC32C over which frame this is (volume, block, frame number, raw offset), its header and its payload. A frame that
 * was moved, within its block or to another, has the wrong checksum; so has one whose index lies about where it
 * belongs. One thread at a time.
 */
class FrameChecksum {
    private static final int SEED_LENGTH = 32;

    private final CRC32C crc = new CRC32C();
    // which frame this is, and its header
    private final byte[] front = new byte[SEED_LENGTH + FrameHeader.CHECKSUM_AT];
    private final ByteBuffer view = ByteBuffer.wrap(front);
    private @Nullable BlockIdentity seeded;

    /** The checksum of the frame whose header begins at 0 of {@code stored}, which is big-endian. */
    int of(BlockIdentity identity, int frame, int rawOffset, ByteBuffer stored, int payloadLength) {
        if (seeded != identity) {
            view.putLong(0, identity.volume().getMostSignificantBits())
                    .putLong(8, identity.volume().getLeastSignificantBits())
                    .putLong(16, identity.block());
            seeded = identity;
        }
        view.putInt(24, frame).putInt(28, rawOffset);
        view.putLong(SEED_LENGTH, stored.getLong(0)).putInt(SEED_LENGTH + 8, stored.getInt(8));
        crc.reset();
        crc.update(front);
        crc.update(stored.limit(FrameHeader.LENGTH + payloadLength).position(FrameHeader.LENGTH));
        return (int) crc.getValue();
    }
}

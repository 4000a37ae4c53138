package volsh.codec;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/** The front of a stored block: a header with the identity of the block, and the index of its frames. */
final class BlockHead {
    static final int HEADER_LENGTH = 64;
    private static final int MAGIC = 0x56534842; // VSHB
    private static final int VERSION = 1;
    private static final int SALT_AT = 32;
    private static final int FRAMES_AT = 48;
    private static final int RAW_LENGTH_AT = 52;
    private static final int CHECKSUM_AT = 60;
    private static final int ENTRY_LENGTH = 8;
    private static final short ENCRYPTED = 1;

    private BlockHead() {}

    /** Bytes before the first frame. */
    static int length(int frames) {
        return HEADER_LENGTH + ENTRY_LENGTH * frames + Integer.BYTES;
    }

    /** Writes header and index at 0 of {@code stored}. */
    static void write(ByteBuffer stored, BlockIdentity identity, FrameMethod method, FrameIndex index,
            boolean encrypted) {
        stored.putInt(0, MAGIC).put(4, (byte) VERSION).put(5, method.code());
        stored.putShort(6, encrypted ? ENCRYPTED : 0);
        stored.putLong(8, identity.volume().getMostSignificantBits())
                .putLong(16, identity.volume().getLeastSignificantBits())
                .putLong(24, identity.block());
        stored.putLong(SALT_AT, 0).putLong(SALT_AT + 8, 0);
        stored.putInt(FRAMES_AT, index.frameCount()).putInt(RAW_LENGTH_AT, index.rawSize()).putInt(56, 0);
        stored.putInt(CHECKSUM_AT, checksum(stored, CHECKSUM_AT));
        for (int i = 0, at = HEADER_LENGTH; i < index.frameCount(); i++, at += ENTRY_LENGTH) {
            stored.putInt(at, index.rawLength(i)).putInt(at + 4, index.payloadLength(i));
        }
        int end = length(index.frameCount()) - Integer.BYTES;
        stored.putInt(end, checksum(stored, end));
    }

    /** Checks the header at 0 of {@code stored}; returns the bytes of header and index together. */
    static int checkHeader(BlockIdentity expected, ByteBuffer stored) throws CorruptBlockException {
        if (stored.limit() < HEADER_LENGTH) {
            throw new CorruptBlockException(expected, "cut short: %d bytes of header".formatted(stored.limit()));
        }
        if (stored.getInt(0) != MAGIC) {
            throw new CorruptBlockException(expected, "not a block: wrong magic number");
        }
        if (stored.get(4) != VERSION) {
            throw new CorruptBlockException(expected, "unknown format version %d".formatted(stored.get(4)));
        }
        if (stored.getInt(CHECKSUM_AT) != checksum(stored, CHECKSUM_AT)) {
            throw new CorruptBlockException(expected, "header checksum mismatch");
        }
        var found = new BlockIdentity(new UUID(stored.getLong(8), stored.getLong(16)), stored.getLong(24));
        if (!found.equals(expected)) {
            throw new CorruptBlockException(expected, "wrong block, holds " + found);
        }
        checkFields(expected, stored);
        return length(stored.getInt(FRAMES_AT));
    }

    private static void checkFields(BlockIdentity expected, ByteBuffer stored) throws CorruptBlockException {
        if ((stored.getShort(6) & ~ENCRYPTED) != 0 || stored.getInt(56) != 0 || !FrameMethod.isKnown(stored.get(5))) {
            throw new CorruptBlockException(
                    expected, "unknown codec %d or flags %x".formatted(stored.get(5), stored.getShort(6)));
        }
        int frames = stored.getInt(FRAMES_AT);
        int rawLength = stored.getInt(RAW_LENGTH_AT);
        if (frames <= 0 || frames > BlockLimits.FRAMES_MAX || rawLength < frames
                || rawLength > BlockLimits.RAW_LENGTH_MAX) {
            throw new CorruptBlockException(expected, "impossible: %d frames, raw %d".formatted(frames, rawLength));
        }
    }

    /** Checks header and index at 0 of {@code stored}. What follows them is not looked at. */
    static FrameIndex read(BlockIdentity expected, ByteBuffer stored) throws CorruptBlockException {
        int length = checkHeader(expected, stored);
        if (stored.limit() < length) {
            throw new CorruptBlockException(
                    expected, "cut short: %d of %d bytes of index".formatted(stored.limit(), length));
        }
        int end = length - Integer.BYTES;
        if (stored.getInt(end) != checksum(stored, end)) {
            throw new CorruptBlockException(expected, "index checksum mismatch");
        }
        int frames = stored.getInt(FRAMES_AT);
        var rawLengths = new int[frames];
        var payloadLengths = new int[frames];
        for (int i = 0, at = HEADER_LENGTH; i < frames; i++, at += ENTRY_LENGTH) {
            rawLengths[i] = stored.getInt(at);
            payloadLengths[i] = stored.getInt(at + 4);
        }
        FrameIndex index = FrameIndex.of(rawLengths, payloadLengths);
        if (index.rawSize() != stored.getInt(RAW_LENGTH_AT)) {
            throw new CorruptBlockException(expected, "index and header disagree on the raw length");
        }
        return index;
    }

    private static int checksum(ByteBuffer stored, int length) {
        var crc = new CRC32C();
        crc.update(stored.slice(0, length));
        return (int) crc.getValue();
    }
}

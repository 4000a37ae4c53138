package volsh.journal;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The header of one staged block in a segment, directly before its bytes. Its checksum covers its position and its
 * journal, so that nothing else is taken for one.
 */
record Entry(long block, int length, long position, int payloadChecksum) {
    static final int HEADER_LENGTH = 32;
    /** Entries start at multiples of this: after a damaged one the next can be found. */
    static final int ALIGNMENT = 4096;

    private static final int MAGIC = 0x56534a45;   // VSJE
    private static final int CHECKSUM_AT = 28;

    /** The position of the block's bytes. */
    long payloadPosition() {
        return position + HEADER_LENGTH;
    }

    /** The end of these bytes. */
    long end() {
        return payloadPosition() + length;
    }

    /** Where the next entry may start. */
    long next() {
        return (end() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    static int checksum(ByteBuffer payload) {
        var crc = new CRC32C();
        crc.update(payload.duplicate());
        return (int) crc.getValue();
    }

    ByteBuffer toBytes(UUID journal) {
        var header = ByteBuffer.allocate(HEADER_LENGTH)
                .putInt(MAGIC).putInt(length).putLong(block).putLong(position).putInt(payloadChecksum);
        return header.putInt(headerChecksum(journal, header)).flip();
    }

    /** Empty unless the 32 bytes of {@code header} are a valid one for this position. */
    static Optional<Entry> parse(UUID journal, long position, ByteBuffer header) {
        var entry = new Entry(header.getLong(8), header.getInt(4), header.getLong(16), header.getInt(24));
        boolean valid = header.getInt(0) == MAGIC && entry.position == position && entry.length > 0
                && header.getInt(CHECKSUM_AT) == headerChecksum(journal, header);
        return valid ? Optional.of(entry) : Optional.empty();
    }

    private static int headerChecksum(UUID journal, ByteBuffer header) {
        var crc = new CRC32C();
        crc.update(ByteBuffer.allocate(16).putLong(journal.getMostSignificantBits())
                .putLong(journal.getLeastSignificantBits()).flip());
        crc.update(header.duplicate().limit(CHECKSUM_AT).position(0));
        return (int) crc.getValue();
    }
}
